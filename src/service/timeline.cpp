#include "service/timeline.hpp"

#include "service/timeline_marks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon {
namespace {

constexpr std::uint64_t timeline_steps_max = 200'000'000;
/// Schedules that a calendar looks at.
constexpr std::size_t calendar_schedule_max = 2'000;
constexpr std::size_t calendar_page_size = 500;

Served<> expect_stretch(Instant from, Instant to) {
  if (from < to) return {};
  return std::unexpected(Refusal{
      Problems{{.pointer = "/to", .code = "invalid", .message = "to must be after from", .hint = {}, .position = {}}}});
}

}  // namespace

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
  if (request.grouping.kind != TimelineGrouping::Kind::none) return grouped(caller, std::move(request));
  request.schedules.filter.name_space = TRY(caller.namespace_to_list(request.schedules.filter.name_space));
  request.schedules.count_max = std::min(request.schedules.count_max, row_count_max);
  const ScheduleList list = TRY(parts_.store.queries.list_schedules(request.schedules));
  TimelineAnswer answer{.now = parts_.clock.now(), .rows = {}, .total = list.total};
  if (list.has_more && !list.items.empty()) answer.next = list.items.back().key;
  answer.resolution = resolution_of(request);
  Budget budget{timeline_steps_max};
  for (const ScheduleRecord& record : list.items)
    answer.rows.push_back(TRY(row_of(record, request, answer.now, answer.resolution, budget)));
  finish(answer, request);
  return answer;
}

void Timelines::finish(TimelineAnswer& answer, const TimelineRequest& request) const {
  merge_marks(answer, request.from);
  for (TimelineRow& row : answer.rows)
    for (TimelineMark& mark : row.marks)
      if (mark.decision) mark.run = parts_.run_ids.id_of(*mark.decision);
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
