#include "service/schedule_answer.hpp"

#include "calendar/description/describe.hpp"
#include "calendar/local_text.hpp"
#include "definitions/schedule_document.hpp"
#include "document/document.hpp"
#include "service/document_warnings.hpp"
#include "service/managed_definition.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t upcoming_count = 10;
constexpr std::size_t remembered_count_max = 100'000;

PlannedStart planned_start(const Definition& definition, Instant nominal) {
  return {
      .nominal = nominal, .due = definition.due(nominal), .local = local_text(nominal, definition.timetable.zone())};
}

Activity activity_of(const ScheduleAnswer& answer) {
  if (answer.running > 0) return Activity::running;
  bool failed = answer.record.view.state.has_failed;
  // The state does not know yet of runs that ended since the last decision.
  for (const LiveRun& run : answer.record.view.live) {
    if (run.state == RunState::succeeded) failed = false;
    if (has_failed(run.state)) failed = true;
  }
  return failed ? Activity::error : Activity::idle;
}

void count_live(ScheduleAnswer& answer) {
  const auto& live = answer.record.view.live;
  answer.counts = counted(answer.record.view);
  answer.running = std::ranges::count_if(live, [](const LiveRun& run) { return is_open(run); });
  answer.waiting = std::ranges::count_if(live, [](const LiveRun& run) { return is_waiting(run); });
  if (answer.definition) answer.remaining_starts = ScheduleAnswers::remaining_starts(*answer.definition, answer.counts);
}

std::int64_t current_retry(const std::vector<RunAnswer>& recent) {
  const auto open = std::ranges::find_if(
      recent, [](const RunAnswer& run) { return run.has_run() && !is_terminal(run.record.run.state); });
  return open == recent.end() ? 0 : std::max<std::int64_t>(open->record.run.attempt - 1, 0);
}

Result<std::vector<RunAnswer>> recent_runs(const ServiceParts& parts, Uid uid) {
  RunListRequest request{.filter = {}, .before = {}, .count_max = ScheduleAnswers::recent_count_max};
  request.filter.uid = uid;
  const RunList list = TRY(parts.store.queries.list_runs(request));
  std::vector<Seq> seqs;
  for (const RunRecordRow& record : list.items) seqs.push_back(record.seq);
  return run_answers(TRY(parts.store.queries.read_run_records(seqs)), parts);
}

}  // namespace

std::vector<PlannedStart> ScheduleAnswers::planned(const Definition& definition, Instant after,
                                                   std::optional<Instant> until, std::size_t count, Budget& budget) {
  std::vector<PlannedStart> starts;
  if (!definition.has_occurrences) return starts;
  const Instant end = until.value_or(instant_max + Duration{1});
  for (const Instant nominal : definition.timetable.occurrences(after + Duration{1}, end, count, budget))
    starts.push_back(planned_start(definition, nominal));
  return starts;
}

ScheduleAnswers::ReadingPtr ScheduleAnswers::read(const ScheduleRecord& record, Instant now,
                                                  const ScheduleDocument* document) {
  std::optional<Checked<ScheduleDocument>> stored;
  if (document == nullptr)
    if (const auto parsed = parse_json(record.document)) stored = read_canonical_schedule(*parsed);
  if (stored && *stored) document = &**stored;
  if (document == nullptr) return std::make_shared<const DocumentReading>();
  return std::make_shared<const DocumentReading>(DocumentReading{.findings = document_warnings(*document, parts_, now),
                                                                 .sentence = describe(document->spec).value_or("")});
}

ScheduleAnswers::ReadingPtr ScheduleAnswers::remembered_reading(const ScheduleRecord& record, Instant now,
                                                                const ScheduleDocument* document) {
  const Uid uid = record.view.state.uid;
  const std::int64_t revision = record.view.state.revision;
  const std::int64_t day = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  {
    const std::scoped_lock lock{mutex_};
    const auto found = remembered_.find(uid);
    if (found != remembered_.end() && found->second.revision == revision && found->second.day == day)
      return found->second.reading;
  }
  ReadingPtr reading = read(record, now, document);
  const std::scoped_lock lock{mutex_};
  if (remembered_.size() >= remembered_count_max) remembered_.clear();
  remembered_.insert_or_assign(uid, Remembered{.revision = revision, .day = day, .reading = reading});
  return reading;
}

std::optional<std::int64_t> ScheduleAnswers::remaining_starts(const Definition& definition, const Counts& counts) {
  const auto& limit = definition.policies.starts_max;
  return limit ? std::optional{std::max<std::int64_t>(*limit - counts.starts, 0)} : std::nullopt;
}

bool ScheduleAnswers::has_starts_ahead(ScheduleStatus status) {
  return status == ScheduleStatus::active || status == ScheduleStatus::paused;
}

void ScheduleAnswers::plan(ScheduleAnswer& answer, Instant now, Detail detail) {
  const ScheduleState& state = answer.record.view.state;
  if (!answer.definition || !has_starts_ahead(state.status)) return;
  // One that takes longer than any that may be saved today shows what was found of its starts.
  Budget budget{spec_steps_max};
  std::size_t count = detail == Detail::whole ? upcoming_count : 1;
  if (answer.remaining_starts) count = std::min(count, static_cast<std::size_t>(*answer.remaining_starts));
  const Definition& definition = *answer.definition;
  const Instant after = std::max(state.cursor, now);
  if (detail == Detail::whole) {
    answer.upcoming = planned(definition, after, std::nullopt, count, budget);
    if (state.status == ScheduleStatus::active && !answer.upcoming.empty())
      answer.next = NextStart{.nominal = answer.upcoming.front().nominal, .due = answer.upcoming.front().due};
    return;
  }
  if (state.status != ScheduleStatus::active || count == 0 || !definition.has_occurrences) return;
  if (const auto nominal = definition.timetable.next(after, budget); nominal && !budget.is_spent())
    answer.next = NextStart{.nominal = *nominal, .due = definition.due(*nominal)};
}

Result<ScheduleAnswer> ScheduleAnswers::make_tried(ScheduleRecord record, DefinitionPtr definition,
                                                   const ScheduleDocument* document) {
  const Instant now = parts_.clock.now();
  ScheduleAnswer answer{.record = std::move(record),
                        .definition = std::move(definition),
                        .problem = {},
                        .counts = {},
                        .recent = {},
                        .upcoming = {},
                        .reading = {}};
  count_live(answer);
  answer.activity = activity_of(answer);
  if (answer.counts.runs > 0) answer.recent = TRY(recent_runs(parts_, answer.record.view.state.uid));
  answer.current_retry = current_retry(answer.recent);
  // Of what was never written nothing is remembered.
  answer.reading = read(answer.record, now, document);
  plan(answer, now, Detail::whole);
  return answer;
}

ScheduleAnswer ScheduleAnswers::without_runs(ScheduleRecord record, Instant now, const ScheduleDocument* document) {
  ScheduleAnswer answer{.record = std::move(record),
                        .definition = {},
                        .problem = {},
                        .counts = {},
                        .recent = {},
                        .upcoming = {},
                        .reading = {}};
  const ScheduleState& state = answer.record.view.state;
  answer.problem = answer.record.quarantine.value_or("");
  auto definition = parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
  if (definition)
    answer.definition = *std::move(definition);
  else
    answer.problem = definition.error().message;
  count_live(answer);
  answer.activity = activity_of(answer);
  answer.reading = remembered_reading(answer.record, now, document);
  // Never remembered: a file changes without its schedule.
  if (const auto file = parts_.source_findings ? defining_file(answer.record.document) : std::nullopt)
    answer.source_findings = parts_.source_findings(*file);
  return answer;
}

Result<ScheduleAnswer> ScheduleAnswers::make(ScheduleRecord record, Instant now, const ScheduleDocument* document) {
  ScheduleAnswer answer = without_runs(std::move(record), now, document);
  if (answer.counts.runs > 0) answer.recent = TRY(recent_runs(parts_, answer.record.view.state.uid));
  answer.current_retry = current_retry(answer.recent);
  plan(answer, now, Detail::whole);
  return answer;
}

Result<std::vector<ScheduleAnswer>> ScheduleAnswers::make_list(ScheduleList list) {
  std::vector<DefinitionName> names;
  for (const ScheduleRecord& record : list.items)
    names.push_back({.uid = record.view.state.uid, .revision = record.view.state.revision});
  TRY(parts_.definitions.now()->prefetch(names));
  const bool has_waiting = std::ranges::any_of(
      list.items, [](const ScheduleRecord& record) { return std::ranges::any_of(record.recent, waits_in_queue); });
  const QueueFacts queues = has_waiting ? TRY(read_queue_facts(parts_)) : QueueFacts{};
  std::vector<ScheduleAnswer> answers;
  answers.reserve(list.items.size());
  for (ScheduleRecord& record : list.items) {
    std::vector<RunRecordRow> recent = std::exchange(record.recent, {});
    ScheduleAnswer& answer = answers.emplace_back(without_runs(std::move(record), list.store_now, nullptr));
    for (RunRecordRow& run : recent) answer.recent.push_back(run_answer(std::move(run), parts_.run_ids, queues));
    answer.current_retry = current_retry(answer.recent);
    plan(answer, list.store_now, Detail::list);
  }
  return answers;
}

}  // namespace carillon
