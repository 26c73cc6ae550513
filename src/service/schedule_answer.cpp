#include "service/schedule_answer.hpp"

#include "calendar/local_text.hpp"
#include "document/document.hpp"
#include "engine/schedule_document.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr std::size_t recent_count = 10;
constexpr std::size_t upcoming_count = 10;
constexpr std::size_t remembered_count_max = 100'000;

bool has_failed(RunState state) {
  return state == RunState::failed || state == RunState::timed_out || state == RunState::lost;
}

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
}

std::int64_t current_retry(const std::vector<RunAnswer>& recent) {
  const auto open = std::ranges::find_if(
      recent, [](const RunAnswer& run) { return run.has_run() && !is_terminal(run.record.row.run.state); });
  return open == recent.end() ? 0 : std::max<std::int64_t>(open->record.row.run.attempt - 1, 0);
}

Result<std::vector<RunAnswer>> recent_runs(const ServiceParts& parts, Uid uid) {
  RunListRequest request{.filter = {}, .before = {}, .count_max = recent_count};
  request.filter.uid = uid;
  const RunList list = TRY(parts.catalogue.list_runs(request));
  std::vector<Seq> seqs;
  for (const RunRecordRow& row : list.items) seqs.push_back(row.row.seq);
  std::vector<RunAnswer> recent;
  for (auto& record : TRY(parts.catalogue.read_run_records(seqs)))
    if (record) recent.push_back(run_answer(*std::move(record), parts.run_ids));
  return recent;
}

}  // namespace

std::vector<PlannedStart> ScheduleAnswers::planned(const Definition& definition, Instant after,
                                                   std::optional<Instant> until, std::size_t count) {
  std::vector<PlannedStart> starts;
  if (!definition.has_occurrences) return starts;
  for (auto next = definition.timetable.next(after); next && starts.size() < count;
       next = definition.timetable.next(*next)) {
    if (until && *next >= *until) break;
    starts.push_back(planned_start(definition, *next));
  }
  return starts;
}

std::vector<Finding> ScheduleAnswers::warnings_of(const ScheduleRecord& record, Instant now, const Spec* spec) {
  const Uid uid = record.view.state.uid;
  const std::int64_t revision = record.view.state.revision;
  const std::int64_t day = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  {
    const std::scoped_lock lock{mutex_};
    const auto found = remembered_.find(uid);
    if (found != remembered_.end() && found->second.revision == revision && found->second.day == day)
      return found->second.findings;
  }
  std::vector<Finding> findings;
  std::optional<Checked<ScheduleDocument>> document;
  if (spec == nullptr)
    if (const auto parsed = parse_json(record.document)) document = read_canonical_schedule(*parsed);
  if (document && *document) spec = &(*document)->spec;
  if (spec != nullptr)
    if (const auto zone = parts_.zones.zone(spec->timezone)) findings = lint(*spec, *zone, *parts_.zones.names(), now);
  const std::scoped_lock lock{mutex_};
  if (remembered_.size() >= remembered_count_max) remembered_.clear();
  remembered_.insert_or_assign(uid, Remembered{.revision = revision, .day = day, .findings = findings});
  return findings;
}

Result<ScheduleAnswer> ScheduleAnswers::make(ScheduleRecord record, Instant now, Detail detail, const Spec* spec) {
  ScheduleAnswer answer{.record = std::move(record),
                        .definition = {},
                        .problem = {},
                        .counts = {},
                        .recent = {},
                        .upcoming = {},
                        .warnings = {}};
  const ScheduleState& state = answer.record.view.state;
  answer.problem = answer.record.quarantine.value_or("");
  auto definition = parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
  if (definition)
    answer.definition = *std::move(definition);
  else
    answer.problem = definition.error().message;
  count_live(answer);
  answer.activity = activity_of(answer);
  if (answer.counts.runs > 0) answer.recent = TRY(recent_runs(parts_, state.uid));
  answer.current_retry = current_retry(answer.recent);
  answer.warnings = warnings_of(answer.record, now, spec);
  if (!answer.definition) return answer;
  const auto starts = planned(*answer.definition, std::max(state.cursor, now), std::nullopt,
                              detail == Detail::whole ? upcoming_count : 1);
  if (state.status == ScheduleStatus::active && !starts.empty()) answer.next = starts.front();
  if (detail == Detail::whole) answer.upcoming = starts;
  return answer;
}

}  // namespace carillon
