#pragma once

#include "base/instant.hpp"
#include "engine/run.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon {

/// What an attempt used of the machine.
struct ResourceUse {
  Duration user_time{};
  Duration system_time{};
  std::int64_t memory_max = 0;  // bytes
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

/// Why an attempt was made to end, if it was. A launcher writes these as numbers: new ones are added at the end.
enum class StopCause {
  none,
  request,   // somebody asked for it
  lease,     // the right to perform it was over
  timeout,   // its time was
  shutdown,  // its server was stopped
};

/// How an attempt ended: one record from the executor, or the worker in another process, to the store.
///
/// An executor says what it saw, not why it was asked to stop: `cancelled` if the attempt ended after it had been asked
/// to, or by force; `released` if nothing was started for no fault of the attempt, with `retry_after` if it may be
/// launched here again; `lost` if nobody knows how it went and nothing of it runs any more. `outcome_of` in `runtime`
/// says what that means to the run.
struct AttemptEnd {
  AttemptOutcome outcome = AttemptOutcome::succeeded;
  // By the store's clock. An executor leaves them empty.
  std::optional<Instant> launched_at{};
  std::optional<Instant> ended_at{};        // the back-off begins here; none: when written
  std::optional<std::int64_t> exit_code{};  // of a command, or the status of an answer
  std::optional<std::int64_t> signal{};
  std::string error{};                    // for people: what went wrong
  std::optional<std::string> result{};    // JSON, given to the next run
  std::optional<Duration> retry_after{};  // it is not tried again before this
  std::optional<ResourceUse> use{};
  std::string known_as{};  // where it was performed, if that is elsewhere: the run id of a workflow
};

/// Whether an executor says that the attempt, which it could not start, may be launched here again.
[[nodiscard]] inline bool may_be_launched_again(const AttemptEnd& end) {
  return end.outcome == AttemptOutcome::released && end.retry_after;
}

}  // namespace carillon
