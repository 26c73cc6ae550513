#include "library/scheduler_life.hpp"

#include "library/scheduler_callback.hpp"

namespace carillon {

Result<> SchedulerLife::start(const std::function<Result<>()>& begin) {
  if (SchedulerCallback::is_inside(scheduler_))
    return fail(ErrorCode::conflict, "a handler or listener cannot start its scheduler");
  const std::scoped_lock lock{mutex_};
  if (was_started_) return fail(ErrorCode::conflict, "a scheduler is started once");
  listeners_.status_changed(SchedulerStatus::starting);
  if (auto begun = begin(); !begun) {
    listeners_.status_changed(SchedulerStatus::stopped);
    return begun;
  }
  was_started_ = true;
  is_running_ = true;
  listeners_.status_changed(SchedulerStatus::running);
  return {};
}

Result<> SchedulerLife::stop(const std::function<void()>& end) {
  if (SchedulerCallback::is_inside(scheduler_))
    return fail(ErrorCode::conflict, "a handler or listener cannot stop its scheduler, which would wait for it");
  const std::scoped_lock lock{mutex_};
  if (!is_running_.exchange(false)) return {};
  listeners_.status_changed(SchedulerStatus::stopping);
  end();
  was_stopped_ = true;
  listeners_.status_changed(SchedulerStatus::stopped);
  return {};
}

}  // namespace carillon
