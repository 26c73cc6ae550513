#pragma once

#include "ports/log.hpp"
#include "runtime/run_events.hpp"
#include "runtime/run_log.hpp"

#include <carillon/listener.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace carillon {

/// Passes what happens to the log and to the host's listeners. An exception of a listener is logged, and the others are
/// called.
class SchedulerListeners final : public RunObserver {
 public:
  /// `scheduler` is the one they listen to, for SchedulerCallback.
  SchedulerListeners(const void* scheduler, Log& log) : scheduler_{scheduler}, log_{log}, run_log_{log} {}

  void add(Listener listener);

  void attempt_began(const AttemptNews& news) override;
  void attempt_ended(const AttemptNews& news) override;
  void schedule_changed(const std::string& id, ScheduleChange::Kind change);
  void status_changed(SchedulerStatus status);

 private:
  using Listeners = std::vector<Listener>;
  template <typename Event>
  void tell(std::function<void(Event)> Listener::* member, const std::remove_cvref_t<Event>& event);

  const void* scheduler_;
  Log& log_;
  RunLog run_log_;
  std::mutex mutex_;
  // Guarded. Shared with those that are calling them while one is added.
  std::shared_ptr<const Listeners> listeners_ = std::make_shared<const Listeners>();
};

}  // namespace carillon
