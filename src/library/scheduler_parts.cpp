#include "library/scheduler_parts.hpp"

#include "base/quoted.hpp"
#include "library/scheduler_callback.hpp"
#include "library/scheduler_documents.hpp"
#include "runtime/system_clock.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t handler_check_page = 500;

/// A clock of the host program is believed whatever it shows.
DeciderOptions decider_options(const HostClock& clock) {
  if (clock.own_wall() != nullptr) return {.is_clock_synchronised = [] { return true; }};
  return {.is_clock_synchronised = is_clock_synchronised, .clock_earliest = clock_earliest};
}

RuntimeOptions runtime_options(const SchedulerOptions& options, const HostClock& clock, const RunIds& run_ids) {
  return {.worker = {.session = {.name = fmt::format("embedded-{}", ::getpid()),
                                 .queues = {JobAction{}.queue},
                                 .capacity = std::max<std::size_t>(options.worker_count, 1)},
                     .run_id = [&run_ids](Seq run) { return run_ids.id_of(run); }},
          .decider = decider_options(clock),
          .stop_timeout = std::max(options.stop_timeout, Duration{0})};
}

std::string folded(std::string id) {
  std::ranges::transform(id, id.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return id;
}

}  // namespace

Scheduler::Parts::Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened,
                        const SchedulerOptions& options)
    : surroundings{std::move(around)},
      store{std::move(opened)},
      changes{store.ports.notifier},
      listeners{this, surroundings->log},
      attempts{surroundings->clock,
               surroundings->log,
               {.logs = store.logs.get(), .observer = &listeners, .store_time = StoreTime::Source::own_clock}},
      executor{surroundings->clock, attempts, surroundings->log, options.worker_count},
      runtime{{.store = store.ports,
               .zones = surroundings->zones,
               .clock = surroundings->clock,
               .log = surroundings->log,
               .attempts = attempts,
               .executors = {{ActionKind::job, executor}},
               .logs = store.logs.get()},
              runtime_options(options, surroundings->clock, store.run_ids)},
      service{service_parts()},
      caller{.actor = "code", .address = {}, .role = Role::admin},
      schedules{service},
      queries{service, schedules},
      runs{service, schedules},
      managed{options.managed} {
  if (WallClock* const wall = surroundings->clock.own_wall(); wall != nullptr)
    wall->on_set([this] {
      runtime.wake_decider();
      attempts.alarm().ring();
    });
}

Scheduler::Parts::~Parts() {
  if (WallClock* const wall = surroundings->clock.own_wall(); wall != nullptr) wall->on_set({});
  (void)stop();
}

ServiceParts Scheduler::Parts::service_parts() {
  return {.store = store.ports,
          .logs = *store.logs,
          .commands = runtime.commands(),
          .definitions = runtime.definitions(),
          .zones = surroundings->zones,
          .clock = surroundings->clock,
          .run_ids = store.run_ids};
}

Result<> Scheduler::Parts::start() {
  if (SchedulerCallback::is_inside(this))
    return fail(ErrorCode::conflict, "a handler or listener cannot start its scheduler");
  const std::scoped_lock lock{life};
  if (was_started) return fail(ErrorCode::conflict, "a scheduler is started once");
  was_started = true;
  listeners.status_changed(SchedulerStatus::starting);
  log_missing_handlers();
  runtime.start();
  is_running = true;
  watch_registered();
  listeners.status_changed(SchedulerStatus::running);
  return {};
}

Result<> Scheduler::Parts::stop() {
  if (SchedulerCallback::is_inside(this))
    return fail(ErrorCode::conflict, "a handler or listener cannot stop its scheduler, which would wait for it");
  const std::scoped_lock lock{life};
  if (!is_running.exchange(false)) return {};
  listeners.status_changed(SchedulerStatus::stopping);
  grace_watch = {};
  runtime.stop();
  executor.close();
  was_stopped = true;
  changes.add();
  listeners.status_changed(SchedulerStatus::stopped);
  return {};
}

Result<> Scheduler::Parts::add_handler(const std::string& name, Handler handler) {
  // Qualified, since std::quoted is as near to a std::string.
  if (!handler) return fail(ErrorCode::invalid_argument, "handler {} is an empty function", carillon::quoted(name));
  return executor.add(name, [this, call = std::move(handler)](const RunContext& run) {
    const SchedulerCallback mark{this};
    return call(run);
  });
}

// An equal definition is left alone: a schedule that an operator has disabled stays disabled when the program registers
// it again.
Served<std::optional<ScheduleChange::Kind>> Scheduler::Parts::apply(const ScheduleDocument& document) {
  const boost::json::value text = write_schedule(document);
  const ScheduleName name{.id = document.id.text()};
  const auto before = schedules.find(caller, name);
  if (!before && before.error().kind != Refusal::Kind::not_found) return std::unexpected(before.error());
  if (before && before->document == boost::json::serialize(text)) return std::nullopt;
  const bool is_new = TRY(schedules.put(caller, name, text, {})).is_new;
  return is_new ? ScheduleChange::Kind::added : ScheduleChange::Kind::updated;
}

bool Scheduler::Parts::is_registered(const std::string& id) const { return registered.contains(folded(id)); }

Served<> Scheduler::Parts::add_schedule(const ScheduleDocument& document, const std::string& own_handler) {
  const JobAction job = TRY(job_of(document));
  if (!executor.has(job.type))
    return fail(ErrorCode::not_found, "schedule {} names the handler {}, which is not registered: register it first",
                document.id.text(), carillon::quoted(job.type));
  std::optional<ScheduleChange::Kind> change;
  {
    const std::scoped_lock lock{registering};
    if (is_registered(document.id.text()))
      return fail(ErrorCode::conflict, "schedule {} is already registered", document.id.text());
    change = TRY(apply(marked(document)));
    TRY(resume_registered(document));
    registered.emplace(folded(document.id.text()), own_handler);
  }
  if (change) listeners.schedule_changed(document.id.text(), *change);
  return {};
}

Served<> Scheduler::Parts::remove(const std::string& id) {
  {
    const std::scoped_lock lock{registering};
    TRY(schedules.remove(caller, {.id = id}, {}));
    if (const auto entry = registered.extract(folded(id)); entry && !entry.mapped().empty())
      executor.remove(entry.mapped());
  }
  listeners.schedule_changed(id, ScheduleChange::Kind::removed);
  return {};
}

// Read from the store rather than asked of `service`, whose answers say much that is dear to find out and not needed.
void Scheduler::Parts::log_missing_handlers() {
  ScheduleListRequest request{.filter = {.statuses = {ScheduleStatus::active}}, .count_max = handler_check_page};
  for (bool has_more = true; has_more;) {
    const auto page = store.ports.queries.list_schedules(request);
    if (!page || page->items.empty()) return;
    has_more = page->has_more;
    request.after = page->items.back().key;
    for (const ScheduleRecord& record : page->items) {
      const ScheduleState& state = record.view.state;
      const auto definition = service.definitions.now()->get({.uid = state.uid, .revision = state.revision});
      if (!definition) continue;
      const std::string id = record.key.id.text();
      const Action& action = (*definition)->action;
      const auto* job = std::get_if<JobAction>(&action);
      if (job == nullptr)
        surroundings->log.warn("schedule needs a server", {{"schedule", id}, {"action", kind_of(action)}});
      else if (!executor.has(job->type))
        surroundings->log.warn("schedule has no handler", {{"schedule", id}, {"handler", job->type}});
    }
  }
}

}  // namespace carillon
