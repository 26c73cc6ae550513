#include "library/scheduler_parts.hpp"

#include "base/quoted.hpp"
#include "library/scheduler_callback.hpp"
#include "library/scheduler_documents.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t handler_check_page = 500;

std::string folded(std::string id) {
  std::ranges::transform(id, id.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return id;
}

}  // namespace

Scheduler::Parts::Parts(std::unique_ptr<SchedulerSurroundings> around, SchedulerStore opened,
                        const SchedulerOptions& options)
    : surroundings{std::move(around)},
      listeners{this, surroundings->log},
      base{*surroundings, std::move(opened), listeners},
      executor{surroundings->clock, base.attempts, surroundings->log, options.worker_count},
      core{base,
           {{ActionKind::job, executor}},
           {.queues = {JobAction{}.queue}, .worker_count = options.worker_count, .stop_timeout = options.stop_timeout}},
      life{this, listeners},
      managed{options.managed} {}

Scheduler::Parts::~Parts() { (void)stop(); }

Result<> Scheduler::Parts::start() {
  return life.start([this]() -> Result<> {
    log_missing_handlers();
    core.runtime.start();
    watch_registered();
    return {};
  });
}

Result<> Scheduler::Parts::stop() {
  auto stopped = life.stop([this] {
    grace_watch = {};
    core.runtime.stop();
    executor.close();
  });
  // Whoever waits for a run looks again.
  base.changes.add();
  return stopped;
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
  const auto before = core.schedules.find(core.caller, name);
  if (!before && before.error().kind != Refusal::Kind::not_found) return std::unexpected(before.error());
  if (before && before->document == boost::json::serialize(text)) return std::nullopt;
  const bool is_new = TRY(core.schedules.put(core.caller, name, text, {})).is_new;
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
    TRY(core.schedules.remove(core.caller, {.id = id}, {}));
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
    const auto page = base.store.ports.queries.list_schedules(request);
    if (!page || page->items.empty()) return;
    has_more = page->has_more;
    request.after = page->items.back().key;
    for (const ScheduleRecord& record : page->items) {
      const ScheduleState& state = record.view.state;
      const auto definition = core.service.definitions.now()->get({.uid = state.uid, .revision = state.revision});
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
