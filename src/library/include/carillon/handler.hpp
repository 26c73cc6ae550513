#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace carillon {

using TimePoint = std::chrono::system_clock::time_point;

/// What a handler is told about the attempt it performs.
struct RunContext {
  std::string schedule_id;
  std::string run_id;        // short, for logs and `Scheduler::cancel_run`
  std::string run_name;      // `cleanup@2027-03-01T09:00:00Z`: equal for all attempts, so good as an idempotency key
  TimePoint nominal;         // the time the run is for, however late it starts
  TimePoint due;             // nominal with jitter
  std::int64_t attempt = 0;  // from 1
  std::int64_t fence = 0;    // ascends with every attempt of the schedule: lets others refuse what comes too late
  std::string payload;       // JSON
  std::optional<std::string> last_result{};  // JSON, left by the schedule's newest run that succeeded

  /// Asked to stop when the run is cancelled, when its timeout passes, when the scheduler stops, and when this process
  /// has lost the right to the run, as after a long suspension of the machine. A thread cannot be ended by force: a
  /// handler that does not look at this runs on and keeps its place, and what it returns after it has lost the right
  /// is refused. Callbacks bound to the token run on a thread of the scheduler and must be short.
  std::stop_token stop{};
};

/// How an attempt went. `return {};` means that it succeeded and leaves no result.
struct HandlerResult {
  std::optional<std::string> error{};                      // set: the attempt failed, for this reason
  std::optional<std::string> result{};                     // JSON of at most 64 KiB; else it is dropped and logged
  std::optional<std::chrono::microseconds> retry_after{};  // not before this, if that is later than the policy says

  [[nodiscard]] static HandlerResult success(std::string json) { return {.result = std::move(json)}; }
  [[nodiscard]] static HandlerResult failure(std::string why,
                                             std::optional<std::chrono::microseconds> retry_after = {}) {
    return {.error = std::move(why), .retry_after = retry_after};
  }
};

/// Performs attempts, one call each, several at a time. An exception that leaves it makes the attempt fail. A process
/// that dies in the middle leaves a run that is tried again, as its retry policy says: so handlers must bear
/// repetition.
using Handler = std::function<HandlerResult(const RunContext& run)>;

}  // namespace carillon
