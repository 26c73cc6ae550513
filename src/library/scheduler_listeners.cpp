#include "library/scheduler_listeners.hpp"

#include "library/scheduler_callback.hpp"

#include <exception>
#include <utility>

namespace carillon {
namespace {

ExecutionError::Kind kind_of(AttemptOutcome outcome) {
  if (outcome == AttemptOutcome::timed_out) return ExecutionError::Kind::timed_out;
  if (outcome == AttemptOutcome::cancelled) return ExecutionError::Kind::cancelled;
  return ExecutionError::Kind::failed;
}

ExecutionComplete complete_of(const AttemptNews& news) {
  return {.schedule_id = news.envelope.schedule_id,
          .run_id = news.envelope.run_id,
          .run_name = news.envelope.run_name,
          .attempt = news.envelope.attempt,
          .result = news.end->result,
          .duration = duration_of(news)};
}

ExecutionError error_of(const AttemptNews& news) {
  ExecutionError error{.schedule_id = news.envelope.schedule_id,
                       .run_id = news.envelope.run_id,
                       .run_name = news.envelope.run_name,
                       .attempt = news.envelope.attempt,
                       .kind = kind_of(news.end->outcome),
                       .error = news.end->error,
                       .duration = duration_of(news),
                       .will_retry = news.will_retry};
  if (news.will_retry) error.retry_attempt = news.envelope.attempt;
  return error;
}

}  // namespace

void SchedulerListeners::add(Listener listener) {
  const std::scoped_lock lock{mutex_};
  auto next = std::make_shared<Listeners>(*listeners_);
  next->push_back(std::move(listener));
  listeners_ = std::move(next);
}

template <typename Event>
void SchedulerListeners::tell(std::function<void(Event)> Listener::* member, const std::remove_cvref_t<Event>& event) {
  std::shared_ptr<const Listeners> listeners;
  {
    const std::scoped_lock lock{mutex_};
    listeners = listeners_;
  }
  const SchedulerCallback mark{scheduler_};
  for (const Listener& listener : *listeners) {
    if (!(listener.*member)) continue;
    try {
      (listener.*member)(event);
    } catch (const std::exception& thrown) {
      log_.error("a listener threw", {{"error", thrown.what()}});
    } catch (...) {
      log_.error("a listener threw");
    }
  }
}

void SchedulerListeners::attempt_began(const AttemptNews& news) {
  run_log_.attempt_began(news);
  tell(&Listener::execution_start, {.schedule_id = news.envelope.schedule_id,
                                    .run_id = news.envelope.run_id,
                                    .run_name = news.envelope.run_name,
                                    .attempt = news.envelope.attempt});
}

void SchedulerListeners::attempt_ended(const AttemptNews& news) {
  run_log_.attempt_ended(news);
  if (news.end->outcome == AttemptOutcome::succeeded) return tell(&Listener::execution_complete, complete_of(news));
  tell(&Listener::execution_error, error_of(news));
}

void SchedulerListeners::schedule_changed(const std::string& id, ScheduleChange::Kind change) {
  tell(&Listener::schedule_changed, {.schedule_id = id, .change = change});
}

void SchedulerListeners::status_changed(SchedulerStatus status) { tell(&Listener::scheduler_status, status); }

}  // namespace carillon
