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
  std::string run_id;        // `r-…`: for logs and for Scheduler::cancel_run
  std::string run_name;      // `cleanup@2027-03-01T09:00:00Z`: the same for all attempts, so fit as an idempotency key
  TimePoint nominal;         // the time the run is for, however late it starts
  TimePoint due;             // nominal with jitter
  std::int64_t attempt = 0;  // from 1
  std::int64_t fence = 0;  // ascends with every attempt of the schedule: others can refuse writes with an older number
  std::string payload;     // JSON
  std::optional<std::string> last_result{};  // JSON, the result of the schedule's newest run that succeeded

  /// A stop is requested when the run is cancelled, when its timeout has passed, when the scheduler stops, and when
  /// this process has lost the right to the run, as after a long suspension of the machine. A thread cannot be ended by
  /// force: a handler that ignores the token runs on and keeps its thread, and what it returns after the right was lost
  /// is refused. Callbacks that are bound to the token run on a thread of the scheduler and must return quickly.
  std::stop_token stop{};
};

/// How an attempt ended. `return {};` means that it succeeded and leaves no result.
struct HandlerResult {
  std::optional<std::string> error{};   // if set, the attempt failed, for this reason
  std::optional<std::string> result{};  // JSON of at most 64 KiB; anything else is dropped, and a line is logged
  std::optional<std::chrono::microseconds> retry_after{};  // the next attempt waits at least so long

  [[nodiscard]] static HandlerResult success(std::string json) { return {.result = std::move(json)}; }
  [[nodiscard]] static HandlerResult failure(std::string why,
                                             std::optional<std::chrono::microseconds> retry_after = {}) {
    return {.error = std::move(why), .retry_after = retry_after};
  }
};

/// Performs attempts: one call for each, several at the same time on several threads. An exception that leaves it makes
/// the attempt fail. If the process dies during a call, the run is tried again as its retry policy says. So a handler
/// must tolerate that the same run is performed twice.
using Handler = std::function<HandlerResult(const RunContext& run)>;

}  // namespace carillon
