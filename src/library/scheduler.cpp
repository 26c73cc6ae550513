#include "calendar/timetable.hpp"
#include "document/document.hpp"
#include "library/scheduler_answers.hpp"
#include "library/scheduler_documents.hpp"
#include "library/scheduler_failure.hpp"
#include "library/scheduler_parts.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t schedule_page = 200;
constexpr std::size_t run_page = 100;
constexpr std::size_t upcoming_count_max = 10'000;

Result<std::string> checked_payload(const std::string& payload) {
  TRY(while_doing(parse_json(payload), "reading the payload of a trigger"));
  return payload;
}

ScheduleName name_of(std::string_view id) { return {.id = std::string{id}}; }

}  // namespace

Scheduler::Scheduler(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
Scheduler::Scheduler(Scheduler&& other) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&& other) noexcept = default;
Scheduler::~Scheduler() = default;

Expected<Scheduler> Scheduler::open(SchedulerOptions options) {
  if (options.managed)
    if (const auto checked = check_managed(*options.managed); !checked)
      return std::unexpected(failure_of(checked.error()));
  auto surroundings = std::make_unique<SchedulerSurroundings>(options.clock, options.log);
  auto store = SchedulerStore::open(options.data, surroundings->clock, surroundings->log);
  if (!store) return std::unexpected(failure_of(store.error()));
  auto parts = std::make_unique<Parts>(std::move(surroundings), *std::move(store), options);
  // What is created before the first tick must find the zone rules in force.
  if (const auto adopted = parts->core.runtime.commands().adopt_zone_rules(); !adopted)
    return std::unexpected(failure_of(adopted.error()));
  return Scheduler{std::move(parts)};
}

Expected<> Scheduler::start() { return to_expected(parts_->start()); }
Expected<> Scheduler::stop() { return to_expected(parts_->stop()); }
bool Scheduler::is_running() const { return parts_->life.is_running(); }

ListenerId Scheduler::listen(Listener listener) { return parts_->listeners.add(std::move(listener)); }
void Scheduler::unlisten(ListenerId id) { parts_->listeners.remove(id); }

Expected<> Scheduler::register_handler(const std::string& name, Handler handler) {
  return to_expected(parts_->add_handler(name, std::move(handler)));
}

Expected<> Scheduler::register_schedule(const ScheduleDefinition& definition) {
  const auto document = document_of(definition);
  if (!document) return std::unexpected(failure_of(document.error()));
  return to_expected(parts_->add_schedule(*document));
}

Expected<> Scheduler::register_schedule(const ScheduleDefinition& definition, Handler handler) {
  const auto document = document_of(definition);
  if (!document) return std::unexpected(failure_of(document.error()));
  const std::string& name = definition.handler.empty() ? definition.id : definition.handler;
  if (auto added = register_handler(name, std::move(handler)); !added) return added;
  auto registered = to_expected(parts_->add_schedule(*document, name));
  if (!registered) parts_->executor.remove(name);
  return registered;
}

Expected<> Scheduler::register_document(std::string_view text) {
  const auto document = document_of(text);
  if (!document) return std::unexpected(failure_of(document.error()));
  return to_expected(parts_->add_schedule(*document));
}

void Scheduler::must_register(const ScheduleDefinition& definition) { register_schedule(definition).value(); }

void Scheduler::must_register(const ScheduleDefinition& definition, Handler handler) {
  register_schedule(definition, std::move(handler)).value();
}

Expected<> Scheduler::remove(std::string_view id) { return to_expected(parts_->remove(std::string{id})); }

Expected<> Scheduler::pause(std::string_view id, const PauseOptions& options) {
  PauseRequest request{.reason = options.reason};
  if (options.until) request.until = std::chrono::floor<Duration>(*options.until);
  return without_value(parts_->core.schedules.pause(parts_->core.caller, name_of(id), request, {}));
}

Expected<> Scheduler::resume(std::string_view id) {
  return without_value(parts_->core.schedules.resume(parts_->core.caller, name_of(id), {}));
}

Expected<> Scheduler::reset(std::string_view id) {
  return without_value(parts_->core.schedules.reset(parts_->core.caller, name_of(id), {}));
}

Expected<TriggerResult> Scheduler::trigger(std::string_view id, const TriggerOptions& options) {
  TriggerRequest request{.overlap = overlap_policy(options.overlap)};
  if (options.payload) {
    auto payload = checked_payload(*options.payload);
    if (!payload) return std::unexpected(failure_of(payload.error()));
    request.payload = *std::move(payload);
  }
  const auto answer = parts_->core.schedules.trigger(parts_->core.caller, name_of(id), request, {});
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return trigger_result(*answer);
}

Expected<std::size_t> Scheduler::cancel(std::string_view id) {
  const auto count = parts_->core.schedules.cancel(parts_->core.caller, name_of(id));
  if (!count) return std::unexpected(failure_of(count.error()));
  return static_cast<std::size_t>(*count);
}

Expected<> Scheduler::cancel_run(std::string_view run_id) {
  return without_value(parts_->core.runs.cancel(parts_->core.caller, std::string{run_id}, std::nullopt, {}));
}

Expected<ScheduleInfo> Scheduler::get(std::string_view id) const {
  const auto answer = parts_->core.schedules.get(parts_->core.caller, name_of(id));
  if (!answer) return std::unexpected(failure_of(answer.error()));
  return schedule_info(*answer);
}

// Pages come in the order of ids.
Expected<std::vector<ScheduleInfo>> Scheduler::list() const {
  std::vector<ScheduleInfo> infos;
  ScheduleListRequest request{.count_max = schedule_page};
  do {
    const auto page = parts_->core.schedules.list(parts_->core.caller, request);
    if (!page) return std::unexpected(failure_of(page.error()));
    for (const ScheduleAnswer& answer : page->items) infos.push_back(schedule_info(answer));
    request.after = page->next;
  } while (request.after);
  std::ranges::stable_sort(infos, {}, &ScheduleInfo::created_at);
  return infos;
}

Expected<std::optional<TimePoint>> Scheduler::next_run(std::string_view id, TimePoint after) const {
  const auto record = parts_->core.schedules.find(parts_->core.caller, name_of(id));
  if (!record) return std::unexpected(failure_of(record.error()));
  const ScheduleState& state = record->view.state;
  const auto definition = parts_->core.service.definitions.now()->get({.uid = state.uid, .revision = state.revision});
  if (!definition) return std::unexpected(failure_of(definition.error()));
  if (!(*definition)->has_occurrences) return std::nullopt;
  const Instant from = std::clamp(std::chrono::floor<Duration>(after), instant_min, instant_max);
  return (*definition)->timetable.next(from);
}

Expected<std::vector<UpcomingRun>> Scheduler::upcoming(std::size_t limit) const {
  const auto starts = parts_->core.queries.upcoming(parts_->core.caller, std::nullopt, std::nullopt,
                                                    std::min(limit, upcoming_count_max));
  if (!starts) return std::unexpected(failure_of(starts.error()));
  std::vector<UpcomingRun> runs;
  for (const UpcomingStart& start : *starts) runs.push_back(upcoming_run(start));
  return runs;
}

Expected<std::vector<RunRecord>> Scheduler::history(std::string_view id, std::size_t limit) const {
  std::vector<RunRecord> records;
  RunListRequest request{};
  while (records.size() < limit) {
    request.count_max = std::min(limit - records.size(), run_page);
    const auto page = parts_->core.runs.list_of(parts_->core.caller, name_of(id), request);
    if (!page) return std::unexpected(failure_of(page.error()));
    for (const RunAnswer& answer : page->items) records.push_back(run_record(answer));
    if (!page->next) break;
    request.before = page->next;
  }
  return records;
}

}  // namespace carillon
