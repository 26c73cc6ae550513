#pragma once

#include "base/error.hpp"
#include "ports/clock.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"

#include <carillon/handler.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// Performs jobs by handlers of the host program, on threads that are started when they are needed.
///
/// A thread cannot be ended by force: `cancel`, `terminate` and the end of the lease all request a stop by the
/// handler's stop token. A handler that ignores it keeps its thread. Attempts beyond the number of threads wait, and
/// are not started after their `launch_before`.
class HandlerExecutor final : public Executor {
 public:
  HandlerExecutor(Clock& clock, AttemptEvents& events, Log& log, std::size_t thread_count_max);
  HandlerExecutor(const HandlerExecutor&) = delete;
  HandlerExecutor& operator=(const HandlerExecutor&) = delete;
  /// Calls `close`.
  ~HandlerExecutor() override;

  /// An error conflict if the name is taken.
  [[nodiscard]] Result<> add(const std::string& name, Handler handler);
  /// A call of the handler that is under way goes on.
  void remove(const std::string& name);
  [[nodiscard]] bool has(std::string_view name);

  void launch(Assignment assignment) override;
  void stop(const AttemptKey& key, Stop how) override;
  void extend_until(Duration since_boot) override;

  /// Asks all handlers to stop and returns when the last one has returned. What is launched later is not started.
  void close();

 private:
  // Shared, because a call under way keeps its handler when that is removed.
  using HandlerPtr = std::shared_ptr<const Handler>;

  [[nodiscard]] bool start_thread();
  void work();
  void watch_lease(const std::stop_token& token);
  [[nodiscard]] HandlerPtr handler_of(const Assignment& assignment) const;
  [[nodiscard]] AttemptEnd perform(const Assignment& assignment, const HandlerPtr& handler,
                                   const std::stop_token& stop);
  [[nodiscard]] AttemptEnd end_of(const Assignment& assignment, HandlerResult result, const std::stop_token& stop);

  Clock& clock_;
  AttemptEvents& events_;
  Log& log_;
  const std::size_t thread_count_max_;

  std::mutex mutex_;
  // Guarded.
  std::map<std::string, HandlerPtr, std::less<>> handlers_;
  std::deque<Assignment> waiting_;
  std::map<AttemptKey, std::stop_source> live_;  // waiting and running
  std::optional<Duration> lease_end_;            // since boot
  std::size_t idle_count_ = 0;
  bool is_closed_ = false;
  std::vector<std::jthread> threads_;
  std::condition_variable work_;
  std::condition_variable_any lease_;
  std::jthread lease_watch_;
};

}  // namespace carillon
