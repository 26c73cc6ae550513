#include "service/timeline_marks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace carillon {
namespace {

/// A bar is not narrower than this.
constexpr std::int64_t mark_width_min = 3;

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
    known->second.decision.reset();
    known->second.due.reset();
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

}  // namespace

std::string_view to_text(MarkKind kind) {
  static constexpr std::array<std::string_view, 6> words{"succeeded", "failed",  "running",
                                                         "waiting",   "skipped", "planned"};
  return words.at(static_cast<std::size_t>(kind));
}

Duration resolution_of(const TimelineRequest& request) {
  return std::max<Duration>((request.to - request.from) * mark_width_min / std::max<std::int64_t>(request.width, 1),
                            std::chrono::milliseconds{1});
}

TimelineMark mark_of(const RunRecordRow& record, Instant now) {
  // What a person or a backfill starts has not waited since its nominal time.
  const bool is_own = record.outcome == DecisionOutcome::skipped || record.source == Source::schedule;
  const bool has_run = record.outcome == DecisionOutcome::started;
  const Instant wanted = is_own ? record.due : has_run ? record.run.queued_at : record.decided_at;
  TimelineMark mark{.from = wanted, .to = wanted, .kind = kind_of(record), .decision = record.seq};
  if (mark.kind == MarkKind::skipped) return mark;
  if (mark.kind == MarkKind::waiting) {
    mark.to = std::max(wanted, now);
    return mark;
  }
  mark.from = record.run.started_at.value_or(wanted);
  mark.to = std::max(mark.from, record.run.ended_at.value_or(now));
  if (wanted < mark.from) mark.due = wanted;
  return mark;
}

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

void merge_marks(TimelineAnswer& answer, Instant from) {
  for (;; answer.resolution *= 2) {
    for (TimelineRow& row : answer.rows) row.marks = merged(row.marks, from, answer.resolution);
    // Every row has at least as many marks as kinds, and there are few rows.
    if (count_marks(answer.rows) <= Timelines::mark_count_max) return;
  }
}

}  // namespace carillon
