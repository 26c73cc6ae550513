#pragma once

#include "base/loop_monitor.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace carillon {

/// Threads for work that waits for the store, or takes long: those who come at the same time are written together, so
/// there are as many as may be worth waiting for. No more than `waiting_max` tasks wait.
class TaskThreads {
 public:
  /// Told what a task threw; the thread lives on.
  using OnFailure = std::function<void(std::string_view what)>;

  /// Watched as one: it stands still when none of its threads comes back for work.
  TaskThreads(std::size_t count, std::size_t waiting_max, OnFailure on_failure, LoopMonitor* loops = nullptr,
              const std::string& name = "tasks")
      : waiting_max_{waiting_max}, on_failure_{std::move(on_failure)}, pulse_{pulse_of(loops, name, patience)} {
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([this, name] {
        name_this_thread(name);
        run();
      });
  }
  ~TaskThreads() { stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  /// False if too many are waiting, or it was stopped: the task will not be done.
  [[nodiscard]] bool post(std::function<void()> task) {
    {
      const std::scoped_lock lock{mutex_};
      if (is_stopped_ || tasks_.size() >= waiting_max_) return false;
      tasks_.push_back(std::move(task));
    }
    condition_.notify_one();
    return true;
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
        while (!condition_.wait_for(lock, pulse_interval, [&] { return is_stopped_ || !tasks_.empty(); }))
          pulse_.beat();
        pulse_.beat();
        if (is_stopped_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      perform(task);
    }
  }

  void perform(const std::function<void()>& task) const {
    try {
      task();
    } catch (const std::exception& exception) {
      on_failure_(exception.what());
    } catch (...) {
      on_failure_("something that is no std::exception");
    }
  }

  /// All of them may be busy for a while without anything being wrong.
  static constexpr int patience = 4;

  const std::size_t waiting_max_;
  const OnFailure on_failure_;
  const LoopMonitor::Pulse pulse_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool is_stopped_ = false;  // guarded, as the next
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace carillon
