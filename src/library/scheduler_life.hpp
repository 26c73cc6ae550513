#pragma once

#include "base/error.hpp"
#include "library/scheduler_listeners.hpp"

#include <atomic>
#include <functional>
#include <mutex>

namespace carillon {

/// That a scheduler is started once and stopped once, and by nobody whom it has called itself. Its listeners are told.
class SchedulerLife {
 public:
  /// `scheduler` is the one that SchedulerCallback knows.
  SchedulerLife(const void* scheduler, SchedulerListeners& listeners) : scheduler_{scheduler}, listeners_{listeners} {}

  /// A conflict if it was started before, or by code that it has called. If `begin` fails it may be tried again.
  [[nodiscard]] Result<> start(const std::function<Result<>()>& begin);
  /// Does nothing unless it runs. A conflict if the scheduler has called the caller, for whom it would wait.
  [[nodiscard]] Result<> stop(const std::function<void()>& end);

  [[nodiscard]] bool is_running() const { return is_running_; }
  /// Set as soon as a stop has ended.
  [[nodiscard]] const std::atomic<bool>& was_stopped() const { return was_stopped_; }

 private:
  const void* scheduler_;
  SchedulerListeners& listeners_;
  std::mutex mutex_;          // held while starting and stopping
  bool was_started_ = false;  // guarded
  std::atomic<bool> is_running_ = false;
  std::atomic<bool> was_stopped_ = false;
};

}  // namespace carillon
