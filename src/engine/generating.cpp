#include "engine/step_context.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

constexpr Duration one_moment{1};

Decision occurrence(const StepContext& deciding, Instant nominal, Source source) {
  return {.nominal = nominal, .due = deciding.definition.due(nominal), .source = source, .verdict = Waits{}};
}

bool is_full(StepContext& deciding) {
  const bool is_full = deciding.out.decisions.size() >= deciding.decisions_max;
  deciding.has_more |= is_full;
  return is_full;
}

bool stands(const StepContext& deciding, Instant nominal) {
  return std::ranges::binary_search(deciding.view.standing, nominal);
}

// Each by itself, in order, up to and including `last`.
void admit_through(StepContext& deciding, Instant last, Source source) {
  ScheduleState& state = deciding.state();
  const OverlapPolicy policy = deciding.policies().overlap;
  for (auto nominal = deciding.definition.timetable.next(state.cursor); nominal && *nominal <= last;
       nominal = deciding.definition.timetable.next(*nominal)) {
    if (is_full(deciding)) return;
    state.cursor = *nominal;
    if (!stands(deciding, *nominal)) admit(deciding, occurrence(deciding, *nominal, source), policy);
  }
}

// The first of the newest `count` occurrences up to `last`, or the first after the cursor if there are fewer.
Instant first_of_newest(const StepContext& deciding, Instant last, std::int64_t count) {
  Instant first = last;
  for (std::int64_t i = 1; i < count; ++i) {
    const auto earlier = deciding.definition.timetable.previous(first);
    if (!earlier || *earlier <= deciding.out.next.cursor) break;
    first = *earlier;
  }
  return first;
}

void skip_before(StepContext& deciding, Instant nominal, SkipReason reason) {
  const auto last = deciding.definition.timetable.previous(nominal);
  if (last && *last > deciding.state().cursor) skip_through(deciding, *last, reason, Source::catchup);
}

// What was missed up to and including `last`, all of it later than the grace allows.
void catch_up(StepContext& deciding, Instant last) {
  const Policies::Catchup& catchup = deciding.policies().catchup;
  if (const auto window = window_of(catchup)) {
    const auto too_late = deciding.definition.newest_due(deciding.now - *window - one_moment);
    if (too_late && *too_late > deciding.state().cursor)
      skip_through(deciding, std::min(*too_late, last), SkipReason::missed, Source::catchup);
  }
  if (deciding.state().cursor >= last) return;
  switch (catchup.policy) {
    case CatchupPolicy::none: return skip_through(deciding, last, SkipReason::missed, Source::catchup);
    case CatchupPolicy::latest: skip_before(deciding, last, SkipReason::superseded); break;
    case CatchupPolicy::all:
      skip_before(deciding, first_of_newest(deciding, last, catchup.run_count_max), SkipReason::quota);
      break;
  }
  admit_through(deciding, last, Source::catchup);
}

// A stretch without any that stand.
void skip_stretch(StepContext& deciding, Instant last, SkipReason reason, Source source) {
  ScheduleState& state = deciding.state();
  const auto first = deciding.definition.timetable.next(state.cursor);
  if (!first || *first > last) return;
  state.cursor = last;
  state.skipped_until = std::max(state.skipped_until, last);
  if (*first == last) return skip(deciding, occurrence(deciding, last, source), reason);
  const auto count = static_cast<std::int64_t>(deciding.definition.timetable.count(*first, last + one_moment));
  count_skip(state, reason, count);
  deciding.out.ranges.push_back({.from = *first, .to = last, .count = count, .reason = reason});
}

// A clock that was set back opens what it had passed. When it is right again, what came due before the definition was
// in force is late, and not ours; in time it would be, by a clock that really shows that time.
void pass_over_foreign(StepContext& deciding) {
  ScheduleState& state = deciding.state();
  if (state.cursor >= state.own_since) return;
  const Instant late = deciding.now - catchup_lateness_min - one_moment;
  const auto last = deciding.definition.newest_due(std::min(state.own_since, late));
  if (last && *last > state.cursor) skip_through(deciding, *last, SkipReason::clock, Source::catchup);
}

}  // namespace

void skip_through(StepContext& deciding, Instant last, SkipReason reason, Source source) {
  ScheduleState& state = deciding.state();
  for (const Instant standing : deciding.view.standing) {
    if (standing <= state.cursor || standing > last) continue;
    if (const auto before = deciding.definition.timetable.previous(standing); before && *before > state.cursor)
      skip_stretch(deciding, *before, reason, source);
    state.cursor = standing;
  }
  skip_stretch(deciding, last, reason, source);
}

void pass_over_due(StepContext& deciding, const Definition& definition) {
  const auto newest = definition.newest_due(deciding.now);
  if (newest) deciding.state().cursor = std::max(deciding.state().cursor, *newest);
}

void decide_due(StepContext& deciding) {
  const Definition& definition = deciding.definition;
  ScheduleState& state = deciding.state();
  pass_over_foreign(deciding);
  const auto first = definition.timetable.next(state.cursor);
  if (!first) return;
  const Instant due = definition.due(*first);
  if (due > deciding.now) return;

  // The plain case before all others: one occurrence, in time, and the one after it is still to come.
  const Instant in_time_since = deciding.now - grace_of(deciding.policies().catchup);
  const auto second = definition.timetable.next(*first);
  if (due >= in_time_since && (!second || *second > deciding.now) && deciding.view.standing.empty()) {
    state.cursor = *first;
    return admit(deciding, {.nominal = *first, .due = due, .source = Source::schedule, .verdict = Waits{}},
                 deciding.policies().overlap);
  }
  const auto newest_late = definition.newest_due(in_time_since - one_moment);
  if (newest_late && *newest_late > state.cursor) catch_up(deciding, *newest_late);
  if (deciding.has_more) return;
  if (const auto newest = definition.newest_due(deciding.now)) admit_through(deciding, *newest, Source::schedule);
}

}  // namespace carillon
