#pragma once

#include "base/instant.hpp"
#include "ports/executor.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What a run has asked of providers, as far as they have told.
struct RunUsage {
  std::int64_t calls = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost{};  // none: no model that was asked has a price
  friend bool operator==(const RunUsage&, const RunUsage&) = default;
};

/// How far an attempt that goes through items is.
struct RunProgress {
  std::string phase{};                  // a word for people: `input`, `filter`, `map`, …
  std::int64_t done = 0;                // items with a result, failed ones included
  std::int64_t failed = 0;              // of these
  std::optional<std::int64_t> total{};  // none: not known
  RunUsage usage{};
  std::optional<Duration> remaining{};  // an estimate; none: not known
  friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

/// The progress of one attempt.
struct AttemptProgress {
  AttemptKey key;
  RunProgress progress;
};

/// How far the attempts of this server are, from memory alone: what is not told any more when an attempt has ended, and
/// unknown after a restart until the next step. May be called from several threads; does not wait.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;

  /// That of a run's attempt under way; none if there is none here, or it has told nothing.
  [[nodiscard]] virtual std::optional<RunProgress> progress_of(Seq run) = 0;

  /// What has changed since a mark, which is moved to now. A mark begins at 0. Of several steps of one attempt only the
  /// last is told.
  [[nodiscard]] virtual std::vector<AttemptProgress> changed_since(std::uint64_t& mark) = 0;

  /// Calls the listener after each step, from the executor's thread, until what is returned is destroyed. It must
  /// return quickly and call nothing of this.
  [[nodiscard]] virtual std::shared_ptr<void> listen(std::function<void()> listener) = 0;
};

}  // namespace carillon
