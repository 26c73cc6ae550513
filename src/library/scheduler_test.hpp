#pragma once

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <carillon/carillon.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace carillon::testing {

/// What one thread leaves for another, in order.
template <typename Value>
class Mailbox {
 public:
  void put(Value value) {
    const std::scoped_lock lock{mutex_};
    values_.push_back(std::move(value));
    // Inside the lock: whoever takes it may destroy this next.
    changed_.notify_all();
  }
  [[nodiscard]] Value take() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{30}, [&] { return !values_.empty(); }))
      throw std::runtime_error{"nothing has come"};
    Value value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Value> values_;
};

/// Returns when the run is asked to stop.
inline HandlerResult wait_for_stop(const RunContext& run) {
  Mailbox<int> asked;
  const std::stop_callback callback{run.stop, [&] { asked.put(1); }};
  (void)asked.take();
  return HandlerResult::failure("I was asked to stop");
}

inline HandlerResult do_nothing(const RunContext&) { return {}; }

/// One scheduler in memory, and the ends of its attempts.
class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() { listen(scheduler); }

  void listen(Scheduler& to) {
    to.listen({.execution_complete = [this](const ExecutionComplete& event) { completed.put(event); },
               .execution_error = [this](const ExecutionError& event) { failed.put(event); }});
  }

  /// The newest run of a schedule, when it has been written that it ended.
  static RunRecord ended_run(Scheduler& of, std::string_view id) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < end) {
      const auto runs = of.history(id, 1).value();
      if (!runs.empty() && runs.front().state >= RunRecord::State::succeeded) return runs.front();
      std::this_thread::yield();
    }
    throw std::runtime_error{"the run has not ended"};
  }

  Mailbox<ExecutionComplete> completed;
  Mailbox<ExecutionError> failed;
  Scheduler scheduler = Scheduler::open().value();
};

}  // namespace carillon::testing
