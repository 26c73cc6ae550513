#include "library/scheduler_parts.hpp"

#include "base/quoted.hpp"
#include "library/scheduler_callback.hpp"
#include "library/scheduler_documents.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

RuntimeOptions runtime_options(const SchedulerOptions& options, const RunIds& run_ids) {
  return {.worker = {.session = {.name = fmt::format("embedded-{}", ::getpid()),
                                 .queues = {JobAction{}.queue},
                                 .capacity = std::max<std::size_t>(options.worker_count, 1)},
                     .run_id = [&run_ids](Seq run) { return run_ids.id_of(run); }},
          .decider = {.is_clock_synchronised = is_clock_synchronised, .clock_earliest = clock_earliest},
          .stop_timeout = std::max(options.stop_timeout, Duration{0})};
}

std::string folded(std::string id) {
  std::ranges::transform(id, id.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return id;
}

}  // namespace

Result<ScheduleKey> scheduler_key(std::string_view id) {
  return ScheduleKey{.name_space = TRY(NamespaceId::parse("default")), .id = TRY(ScheduleId::parse(id))};
}

Scheduler::Parts::Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened,
                        const SchedulerOptions& options)
    : surroundings{std::move(around)},
      store{std::move(opened)},
      definitions{store.ports.schedules, surroundings->zones},
      listeners{this, surroundings->log},
      attempts{
          surroundings->clock, surroundings->log, {.observer = &listeners, .store_time = StoreTime::Source::own_clock}},
      executor{surroundings->clock, attempts, surroundings->log, options.worker_count},
      runtime{{.store = store.ports,
               .zones = surroundings->zones,
               .clock = surroundings->clock,
               .log = surroundings->log,
               .attempts = attempts,
               .executors = {{ActionKind::job, executor}}},
              runtime_options(options, store.run_ids)} {}

Scheduler::Parts::~Parts() { (void)stop(); }

Result<> Scheduler::Parts::start() {
  if (SchedulerCallback::is_inside(this))
    return fail(ErrorCode::conflict, "a handler or listener cannot start its scheduler");
  const std::scoped_lock lock{life};
  if (was_started) return fail(ErrorCode::conflict, "a scheduler is started once");
  was_started = true;
  listeners.status_changed(SchedulerStatus::starting);
  look_for_handlers();
  runtime.start();
  is_running = true;
  listeners.status_changed(SchedulerStatus::running);
  return {};
}

Result<> Scheduler::Parts::stop() {
  if (SchedulerCallback::is_inside(this))
    return fail(ErrorCode::conflict, "a handler or listener cannot stop its scheduler, which would wait for it");
  const std::scoped_lock lock{life};
  if (!is_running.exchange(false)) return {};
  listeners.status_changed(SchedulerStatus::stopping);
  runtime.stop();
  executor.close();
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

Result<> Scheduler::Parts::add_schedule(const ScheduleDocument& document, const std::string& own_handler) {
  const JobAction job = TRY(job_of(document));
  if (!executor.has(job.type))
    return fail(ErrorCode::not_found, "schedule {} names the handler {}, and there is none: register it first",
                document.id.text(), carillon::quoted(job.type));
  ScheduleCommands::Applied applied{};
  {
    const std::scoped_lock lock{registering};
    const std::string id = folded(document.id.text());
    if (registered.contains(id))
      return fail(ErrorCode::conflict, "schedule {} is registered already", document.id.text());
    applied = TRY(runtime.commands().apply(document, "code"));
    registered.emplace(id, own_handler);
  }
  if (applied == ScheduleCommands::Applied::created)
    listeners.schedule_changed(document.id.text(), ScheduleChange::Kind::added);
  if (applied == ScheduleCommands::Applied::updated)
    listeners.schedule_changed(document.id.text(), ScheduleChange::Kind::updated);
  return {};
}

Result<> Scheduler::Parts::remove(std::string_view id) {
  {
    const std::scoped_lock lock{registering};
    TRY(change(id, Deleted{.by = "code"}));
    if (const auto entry = registered.extract(folded(std::string{id})); entry && !entry.mapped().empty())
      executor.remove(entry.mapped());
  }
  listeners.schedule_changed(std::string{id}, ScheduleChange::Kind::removed);
  return {};
}

void Scheduler::Parts::look_for_handlers() {
  const auto all = find_all();
  if (!all) return;
  for (const FoundSchedule& found : *all) {
    if (!found.definition || found.view.state.status != ScheduleStatus::active) continue;
    const Definition& definition = **found.definition;
    const auto* job = std::get_if<JobAction>(&definition.action);
    if (job == nullptr)
      surroundings->log.warn("schedule needs a server",
                             {{"schedule", definition.key.id.text()}, {"action", kind_of(definition.action)}});
    else if (!executor.has(job->type))
      surroundings->log.warn("schedule has no handler",
                             {{"schedule", definition.key.id.text()}, {"handler", job->type}});
  }
}

Result<CommandResult> Scheduler::Parts::change(std::string_view id, const Event& event) {
  return runtime.commands().change(TRY(scheduler_key(id)), event);
}

}  // namespace carillon
