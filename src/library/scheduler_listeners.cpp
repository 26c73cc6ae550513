#include "library/scheduler_listeners.hpp"

#include "library/scheduler_callback.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace carillon {
namespace {

ExecutionError::Kind kind_of(AttemptOutcome outcome) {
  if (outcome == AttemptOutcome::timed_out) return ExecutionError::Kind::timed_out;
  if (outcome == AttemptOutcome::cancelled) return ExecutionError::Kind::cancelled;
  return ExecutionError::Kind::failed;
}

ExecutionComplete complete_of(const AttemptNews& news, std::string pipeline) {
  return {.schedule_id = news.envelope.schedule_id,
          .pipeline_id = std::move(pipeline),
          .run_id = news.envelope.run_id,
          .run_name = news.envelope.run_name,
          .attempt = news.envelope.attempt,
          .result = news.end->result,
          .duration = duration_of(news)};
}

ExecutionError error_of(const AttemptNews& news, std::string pipeline) {
  ExecutionError error{.schedule_id = news.envelope.schedule_id,
                       .pipeline_id = std::move(pipeline),
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

ListenerId SchedulerListeners::add(Listener listener) {
  const std::scoped_lock lock{mutex_};
  const ListenerId id{++added_count_};
  entries_.push_back(std::make_shared<Entry>(Entry{.id = id, .listener = std::move(listener)}));
  return id;
}

// Code that was called by the scheduler must not wait: it may be the call it would wait for.
void SchedulerListeners::remove(ListenerId id) {
  std::unique_lock lock{mutex_};
  const auto found = std::ranges::find(entries_, id, [](const auto& entry) { return entry->id; });
  if (found == entries_.end()) return;
  const std::shared_ptr<Entry> entry = *found;
  entry->is_removed = true;
  entries_.erase(found);
  if (!SchedulerCallback::is_inside(scheduler_)) call_ended_.wait(lock, [&] { return entry->call_count == 0; });
}

SchedulerListeners::Entries SchedulerListeners::entries() {
  const std::scoped_lock lock{mutex_};
  return entries_;
}

bool SchedulerListeners::begin_call(Entry& entry) {
  const std::scoped_lock lock{mutex_};
  if (entry.is_removed) return false;
  ++entry.call_count;
  return true;
}

void SchedulerListeners::end_call(Entry& entry) {
  {
    const std::scoped_lock lock{mutex_};
    --entry.call_count;
  }
  call_ended_.notify_all();
}

template <typename Event>
void SchedulerListeners::tell(std::function<void(Event)> Listener::* member, const std::remove_cvref_t<Event>& event) {
  const SchedulerCallback mark{scheduler_};
  for (const std::shared_ptr<Entry>& entry : entries()) {
    const auto& function = entry->listener.*member;
    if (!function || !begin_call(*entry)) continue;
    try {
      function(event);
    } catch (const std::exception& thrown) {
      log_.error("an event listener threw an exception", {{"error", thrown.what()}});
    } catch (...) {
      log_.error("an event listener threw an exception");
    }
    end_call(*entry);
  }
}

void SchedulerListeners::attempt_began(const AttemptNews& news) {
  run_log_.attempt_began(news);
  tell(&Listener::execution_start, {.schedule_id = news.envelope.schedule_id,
                                    .pipeline_id = pipeline_of(news),
                                    .run_id = news.envelope.run_id,
                                    .run_name = news.envelope.run_name,
                                    .attempt = news.envelope.attempt});
}

void SchedulerListeners::attempt_ended(const AttemptNews& news) {
  run_log_.attempt_ended(news);
  if (news.end->outcome == AttemptOutcome::succeeded)
    return tell(&Listener::execution_complete, complete_of(news, pipeline_of(news)));
  tell(&Listener::execution_error, error_of(news, pipeline_of(news)));
}

std::string SchedulerListeners::pipeline_of(const AttemptNews& news) const {
  return pipeline_of_ ? pipeline_of_(news.envelope.schedule_id) : std::string{};
}

void SchedulerListeners::schedule_changed(const std::string& id, ScheduleChange::Kind change,
                                          const std::string& pipeline) {
  tell(&Listener::schedule_changed, {.schedule_id = id, .pipeline_id = pipeline, .change = change});
}

void SchedulerListeners::status_changed(SchedulerStatus status) { tell(&Listener::scheduler_status, status); }

}  // namespace carillon
