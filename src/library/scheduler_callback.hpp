#pragma once

#include <utility>

namespace carillon {

/// Marks a thread while it is inside code of the host program that a scheduler has called. Such code must not stop that
/// scheduler: `stop` waits for the code to return.
class SchedulerCallback {
 public:
  explicit SchedulerCallback(const void* scheduler) : outer_{std::exchange(current, scheduler)} {}
  SchedulerCallback(const SchedulerCallback&) = delete;
  SchedulerCallback& operator=(const SchedulerCallback&) = delete;
  ~SchedulerCallback() { current = outer_; }

  [[nodiscard]] static bool is_inside(const void* scheduler) { return current == scheduler; }

 private:
  static inline thread_local const void* current = nullptr;
  const void* outer_;
};

}  // namespace carillon
