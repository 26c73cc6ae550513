#pragma once

#include "ports/executor.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace carillon::testing {

/// Ends every attempt at once, on a thread of its own as real executors do. Some fail at first, some print a little,
/// a few print more than a log keeps.
class QuietExecutor final : public Executor {
 public:
  /// Runs of the schedule `watched` can be waited for.
  QuietExecutor(AttemptEvents& events, std::string watched);

  void launch(Assignment assignment) override;
  void stop(const AttemptKey&, Stop) override {}
  void extend_until(Duration) override {}

  /// Waits until the watched schedule's run for this time has ended; false if that takes too long.
  [[nodiscard]] bool await(Instant nominal, std::chrono::seconds patience);
  /// Waits until nothing is left to do.
  void await_rest();

  [[nodiscard]] std::int64_t ended_count();

 private:
  void work(const std::stop_token& token);
  void perform(const Assignment& assignment, std::int64_t number);

  AttemptEvents& events_;
  const std::string watched_;
  const std::string much_;  // output beyond every bound
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Assignment> waiting_;
  bool is_busy_ = false;
  std::int64_t ended_count_ = 0;
  Instant watched_newest_ = instant_min;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carillon::testing
