#include "service/timeline.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

namespace carillon {
namespace {

/// A bar is not narrower than this.
constexpr std::int64_t mark_width_min = 3;
/// Decisions that are looked at for one row.
constexpr std::size_t row_decision_max = 2'000;
/// A run that was planned so long before may still go on.
constexpr Duration run_slack = std::chrono::days{1};
constexpr std::uint64_t timeline_steps_max = 200'000'000;
/// Schedules that a calendar looks at.
constexpr std::size_t calendar_schedule_max = 2'000;
constexpr std::size_t calendar_page_size = 500;

MarkKind kind_of(const RunRecordRow& record) {
  if (record.outcome == DecisionOutcome::skipped) return MarkKind::skipped;
  switch (record.run.state) {
    case RunState::succeeded: return MarkKind::succeeded;
    case RunState::running:
    case RunState::retrying: return MarkKind::running;
    case RunState::waiting:
    case RunState::queued: return MarkKind::waiting;
    default: return MarkKind::failed;
  }
}

TimelineMark mark_of(const RunRecordRow& record, Instant now) {
  TimelineMark mark{.from = record.nominal, .to = record.nominal, .kind = kind_of(record)};
  if (mark.kind == MarkKind::skipped) return mark;
  if (mark.kind == MarkKind::waiting) {
    mark.to = std::max(record.nominal, now);
    return mark;
  }
  mark.from = record.run.started_at.value_or(record.due);
  mark.to = std::max(mark.from, record.run.ended_at.value_or(now));
  return mark;
}

/// One mark for all of a kind that begin in the same stretch of `resolution`.
std::vector<TimelineMark> merged(const std::vector<TimelineMark>& marks, Instant from, Duration resolution) {
  std::map<std::pair<std::int64_t, MarkKind>, TimelineMark> by_place;
  for (const TimelineMark& mark : marks) {
    const std::int64_t place = (mark.from - from) / resolution;
    const auto [known, is_first] = by_place.emplace(std::pair{place, mark.kind}, mark);
    if (is_first) continue;
    known->second.from = std::min(known->second.from, mark.from);
    known->second.to = std::max(known->second.to, mark.to);
    known->second.count += mark.count;
  }
  std::vector<TimelineMark> merged;
  merged.reserve(by_place.size());
  for (const auto& [place, mark] : by_place) merged.push_back(mark);
  std::ranges::sort(merged, {}, &TimelineMark::from);
  return merged;
}

std::size_t count_marks(const std::vector<TimelineRow>& rows) {
  std::size_t count = 0;
  for (const TimelineRow& row : rows) count += row.marks.size();
  return count;
}

/// Few starts are taken one by one, and many stretch by stretch.
void add_planned(const Definition& definition, Instant from, Instant to, Duration resolution,
                 std::vector<TimelineMark>& marks, Budget& budget) {
  if (!definition.has_occurrences || from >= to) return;
  const std::uint64_t total = definition.timetable.count(from, to, budget);
  if (budget.is_spent()) return;
  if (total <= row_decision_max) {
    for (const Instant start : definition.timetable.occurrences(from, to, static_cast<std::size_t>(total), budget))
      marks.push_back({.from = definition.due(start), .to = definition.due(start)});
    return;
  }
  for (Instant part = from; part < to; part += resolution) {
    const Instant end = std::min(part + resolution, to);
    const std::uint64_t count = definition.timetable.count(part, end, budget);
    if (budget.is_spent()) return;
    if (count > 0) marks.push_back({.from = part, .to = end, .count = static_cast<std::int64_t>(count)});
  }
}

Served<> expect_stretch(Instant from, Instant to) {
  if (from < to) return {};
  return std::unexpected(Refusal{
      Problems{{.pointer = "/to", .code = "invalid", .message = "to must be after from", .hint = {}, .position = {}}}});
}

}  // namespace

std::string_view to_text(MarkKind kind) {
  static constexpr std::array<std::string_view, 6> words{"succeeded", "failed",  "running",
                                                         "waiting",   "skipped", "planned"};
  return words.at(static_cast<std::size_t>(kind));
}

Served<TimelineRow> Timelines::row_of(const ScheduleRecord& record, const TimelineRequest& request, Instant now,
                                      Duration resolution, Budget& budget) {
  const ScheduleState& state = record.view.state;
  TimelineRow row{.key = record.key, .name = {}, .status = state.status, .marks = {}};
  const auto definition = parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
  if (definition) row.name = (*definition)->name;
  if (request.from < now) {
    const PastDecisions past = TRY(parts_.store.queries.read_decisions(
        state.uid, std::max(request.from - run_slack, instant_min), std::min(request.to, now), row_decision_max));
    row.is_partial = past.rows.size() >= row_decision_max;
    for (const RunRecordRow& decision : past.rows) {
      const TimelineMark mark = mark_of(decision, now);
      if (mark.to >= request.from && mark.from < request.to) row.marks.push_back(mark);
    }
    for (const RangeLine& range : past.ranges)
      if (range.to >= request.from && range.from < request.to)
        row.marks.push_back({.from = std::max(range.from, request.from),
                             .to = std::min(range.to, request.to),
                             .kind = MarkKind::skipped,
                             .count = range.count});
  }
  const Instant ahead = std::max({request.from, state.cursor + Duration{1}, now});
  if (definition && state.status == ScheduleStatus::active)
    add_planned(**definition, ahead, request.to, resolution, row.marks, budget);
  row.is_partial = row.is_partial || budget.is_spent();
  return row;
}

Served<TimelineAnswer> Timelines::timeline(const Caller& caller, TimelineRequest request) {
  TRY(expect_stretch(request.from, request.to));
  request.schedules.filter.name_space = TRY(caller.namespace_to_list(request.schedules.filter.name_space));
  request.schedules.count_max = std::min(request.schedules.count_max, row_count_max);
  const ScheduleList list = TRY(parts_.store.queries.list_schedules(request.schedules));
  TimelineAnswer answer{.now = parts_.clock.now(), .rows = {}, .total = list.total};
  if (list.has_more && !list.items.empty()) answer.next = list.items.back().key;
  answer.resolution =
      std::max<Duration>((request.to - request.from) * mark_width_min / std::max<std::int64_t>(request.width, 1),
                         std::chrono::milliseconds{1});
  Budget budget{timeline_steps_max};
  for (const ScheduleRecord& record : list.items)
    answer.rows.push_back(TRY(row_of(record, request, answer.now, answer.resolution, budget)));
  for (;; answer.resolution *= 2) {
    for (TimelineRow& row : answer.rows) row.marks = merged(row.marks, request.from, answer.resolution);
    // Every row has at least as many marks as kinds, and there are few rows.
    if (count_marks(answer.rows) <= mark_count_max) return answer;
  }
}

Served<std::vector<CalendarEntry>> Timelines::calendar(const Caller& caller, ScheduleFilter filter, Instant from,
                                                       Instant to, std::size_t count_max) {
  TRY(expect_stretch(from, to));
  filter.name_space = TRY(caller.namespace_to_list(filter.name_space));
  ScheduleListRequest request{.filter = std::move(filter), .count_max = calendar_page_size};
  std::vector<CalendarEntry> entries;
  Budget budget{timeline_steps_max};
  const Instant after = std::max(from - Duration{1}, instant_min);
  for (std::size_t seen = 0; seen < calendar_schedule_max;) {
    const ScheduleList list = TRY(parts_.store.queries.list_schedules(request));
    for (const ScheduleRecord& record : list.items) {
      const ScheduleState& state = record.view.state;
      const auto definition = parts_.definitions.now()->get({.uid = state.uid, .revision = state.revision});
      if (state.status != ScheduleStatus::active || !definition) continue;
      // What is decided already is not planned any more.
      const Instant ahead = std::max(after, state.cursor);
      for (PlannedStart& start : ScheduleAnswers::planned(**definition, ahead, to, count_max, budget))
        entries.push_back({.key = record.key, .name = (*definition)->name, .start = std::move(start)});
    }
    // Only the first ones are kept, so that many schedules need no more room than one.
    std::ranges::sort(entries, {}, [](const CalendarEntry& entry) { return entry.start.due; });
    if (entries.size() > count_max)
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(count_max), entries.end());
    if (budget.is_spent()) return too_complex("ask for a shorter time, or for fewer schedules");
    seen += list.items.size();
    if (!list.has_more || list.items.empty()) break;
    request.after = list.items.back().key;
  }
  return entries;
}

}  // namespace carillon
