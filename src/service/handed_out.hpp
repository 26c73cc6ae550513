#pragma once

#include "base/instant.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace carillon {

/// How long an attempt may be unknown to its worker before it is given up: longer than an answer is on its way.
inline constexpr Duration unknown_grace = std::chrono::seconds{10};

/// What is remembered of claims of workers elsewhere until they have confirmed them: whether the answer is still on its
/// way, when it was handed over, and since when the worker does not know of it. Kept in memory alone: after a restart
/// the grace begins anew. May be called from several threads.
class HandedOut {
 public:
  /// Claimed; the answer is being made or sent.
  void note_claim(const AttemptKey& key, Instant at, Duration since_boot);
  /// The whole answer has been handed over.
  void note_answer(const AttemptKey& key);
  /// The worker has it, or it is nobody's any more.
  void forget(const AttemptKey& key);

  /// When it was claimed, if its answer has been handed over whole.
  [[nodiscard]] std::optional<Instant> answered_at(const AttemptKey& key) const;
  [[nodiscard]] std::optional<Instant> claimed_at(const AttemptKey& key) const;

  /// The worker does not know of it. True once it has not for `unknown_grace`, never while the answer is on its way.
  [[nodiscard]] bool is_overdue(const AttemptKey& key, Duration since_boot);

 private:
  struct Entry {
    std::optional<Instant> claimed_at{};
    bool is_on_its_way = false;
    std::optional<Duration> unknown_since{};
    Duration touched{};
  };
  void bound(Duration since_boot);

  mutable std::mutex mutex_;
  std::map<AttemptKey, Entry> entries_;  // guarded
};

}  // namespace carillon
