#pragma once

#include "base/instant.hpp"
#include "ports/executor.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace carillon {

/// How long a worker may not list an attempt before the attempt is given up. Longer than an answer takes to arrive.
inline constexpr Duration unknown_grace = std::chrono::seconds{10};

/// Remembers the claims of remote workers until the workers have confirmed them: whether the answer is still being
/// sent, when it was handed over, and since when the worker does not list the attempt. Kept in memory only: after a
/// restart the grace begins anew. May be called from several threads.
class HandedOut {
 public:
  /// The attempt was claimed; the answer is being made or sent.
  void note_claim(const AttemptKey& key, Instant at, Duration since_boot);
  /// The whole answer has been handed over.
  void note_answer(const AttemptKey& key);
  /// The worker has confirmed the attempt, or no worker has it any more.
  void forget(const AttemptKey& key);

  /// When it was claimed, if its answer has been handed over whole.
  [[nodiscard]] std::optional<Instant> answered_at(const AttemptKey& key) const;
  [[nodiscard]] std::optional<Instant> claimed_at(const AttemptKey& key) const;

  /// The worker did not list the attempt. Returns true once it has not done so for `unknown_grace`, never while the
  /// answer is still being sent.
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
