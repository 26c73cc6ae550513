#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace carillon::rest {

/// Threads for work that waits for the store: those who come at the same time are written together, so there are as
/// many as may be worth waiting for.
class TaskThreads {
 public:
  explicit TaskThreads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  }
  ~TaskThreads() { stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  void post(std::function<void()> task) {
    {
      const std::scoped_lock lock{mutex_};
      tasks_.push_back(std::move(task));
    }
    condition_.notify_one();
  }

  /// What has begun is finished, the rest is dropped. Safe twice.
  void stop() {
    {
      const std::scoped_lock lock{mutex_};
      is_stopped_ = true;
    }
    condition_.notify_all();
    threads_.clear();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock{mutex_};
        condition_.wait(lock, [&] { return is_stopped_ || !tasks_.empty(); });
        if (is_stopped_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  bool is_stopped_ = false;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace carillon::rest
