#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace carillon {

using TimePoint = std::chrono::system_clock::time_point;

/// Writes lines to the log of an attempt, which `Scheduler::run_log` reads and which is kept as long as the run. May be
/// called from several threads. A line has no bound of its own; of a long log the beginning and the end are kept. What
/// is written after the handler has returned is dropped.
class HandlerLog {
 public:
  /// Drops everything: for programs that call their handlers themselves.
  HandlerLog() = default;
  explicit HandlerLog(std::function<void(std::string_view line)> write) : write_{std::move(write)} {}

  /// The line break is added.
  void operator()(std::string_view line) const {
    if (write_) write_(line);
  }

 private:
  std::function<void(std::string_view line)> write_;
};

/// What a handler is told about the attempt it performs.
struct RunContext {
  std::string schedule_id;
  std::string run_id;        // `r-…`: for logs and for Scheduler::cancel_run
  std::string run_name;      // `cleanup@2027-03-01T09:00:00Z`: the same for all attempts, so fit as an idempotency key
  TimePoint nominal{};       // the time the run is for, however late it starts
  TimePoint due{};           // nominal with jitter
  std::int64_t attempt = 0;  // from 1
  std::int64_t fence = 0;  // ascends with every attempt of the schedule: others can refuse writes with an older number
  std::string payload;     // JSON
  std::optional<std::string> last_result{};   // JSON, the result of the schedule's newest run that succeeded
  std::optional<std::string> last_failure{};  // JSON, how its newest run failed; none if one has succeeded since

  /// A stop is requested when the run is cancelled, when its timeout has passed, when the scheduler stops, and when
  /// this process has lost the right to the run, as after a long suspension of the machine. A thread cannot be ended by
  /// force: a handler that ignores the token runs on and keeps its thread, and what it returns after the right was lost
  /// is refused. Callbacks that are bound to the token run on a thread of the scheduler and must return quickly.
  std::stop_token stop{};

  HandlerLog log{};  // run.log("42 rows deleted")
};

/// How an attempt ended. `return {};` means that it succeeded and leaves no result.
struct HandlerResult {
  std::optional<std::string> error{};  // if set, the attempt failed, for this reason
  /// JSON. A text that is not JSON is kept as a JSON string: success("done") leaves "done" in quotes. What has more
  /// than 64 KiB or is no UTF-8 is dropped, and the scheduler logs that.
  std::optional<std::string> result{};
  std::optional<std::chrono::microseconds> retry_after{};  // the next attempt waits at least so long

  [[nodiscard]] static HandlerResult success(std::string result) { return {.result = std::move(result)}; }
  [[nodiscard]] static HandlerResult failure(std::string why,
                                             std::optional<std::chrono::microseconds> retry_after = {}) {
    return {.error = std::move(why), .retry_after = retry_after};
  }
};

/// Performs attempts: one call for each, several at the same time on several threads. An exception that leaves it makes
/// the attempt fail. If the process dies during a call, the run is tried again as its retry policy says. So a handler
/// must tolerate that the same run is performed twice.
///
/// Made from anything that can be called with a `const RunContext&` or with nothing, and returns a HandlerResult or
/// nothing. One that returns nothing has succeeded unless it throws.
class Handler {
 public:
  Handler() = default;
  Handler(std::nullptr_t) {}
  template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Handler> &&
             (std::invocable<std::decay_t<Function>&, const RunContext&> || std::invocable<std::decay_t<Function>&>))
  Handler(Function&& function) {
    std::decay_t<Function> own = std::forward<Function>(function);
    if (!is_empty(own)) call_ = [own = std::move(own)](const RunContext& run) mutable { return result_of(own, run); };
  }

  /// Whether there is something to call.
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(call_); }
  HandlerResult operator()(const RunContext& run) const { return call_(run); }

 private:
  template <typename Function>
  static bool is_empty(const Function&) {
    return false;
  }
  template <typename Signature>
  static bool is_empty(const std::function<Signature>& function) {
    return !function;
  }
  template <typename Function>
  static bool is_empty(Function* const& function) {
    return function == nullptr;
  }
  template <typename Function>
  static HandlerResult result_of(Function& function, const RunContext& run) {
    if constexpr (std::invocable<Function&, const RunContext&>)
      return result_from([&]() -> decltype(auto) { return function(run); });
    else
      return result_from(function);
  }
  template <typename Call>
  static HandlerResult result_from(Call&& call) {
    if constexpr (std::is_void_v<std::invoke_result_t<Call&>>) {
      call();
      return {};
    } else {
      return call();
    }
  }

  std::function<HandlerResult(const RunContext& run)> call_;
};

}  // namespace carillon
