#include "base/assertion.hpp"
#include "engine/step_context.hpp"

namespace carillon {
namespace {

bool is_used_up(const ScheduleState& state, const Policies& policies) {
  return policies.total_repeats > 0 && state.counts.repeats >= policies.total_repeats;
}

// A limit on starts counts from when it is set.
void count_starts_under(StepContext& deciding, const Policies& next) {
  if (deciding.policies().starts_max.has_value() != next.starts_max.has_value()) restart_counting_starts(deciding);
}

void apply_enabled(StepContext& deciding, bool is_enabled) {
  ScheduleState& state = deciding.state();
  if (!is_enabled) {
    state.status = ScheduleStatus::disabled;
  } else if (state.status == ScheduleStatus::disabled) {
    state.status = state.paused_at ? ScheduleStatus::paused : ScheduleStatus::active;
  }
}

bool is_dead_by(const ScheduleState& state, const Policies& policies) {
  return end_by_limits(state, policies) == ScheduleStatus::dead;
}

// Enabling a schedule that was dead before it was disabled leaves it dead, unless it has been edited; and to allow
// fewer failures kills no schedule by itself.
void forgive(ScheduleState& state, const Definition& before, const Definition& next) {
  if (!next.timetable.next(state.cursor)) return;
  if (is_dead_by(state, before.policies) || is_dead_by(state, next.policies)) state.counts.consecutive_failures = 0;
}

// Done and dead are left by a definition that has something to start.
void revive(ScheduleState& state, const Definition& next) {
  if (state.status != ScheduleStatus::done && state.status != ScheduleStatus::dead) return;
  if (!next.timetable.next(state.cursor) || is_used_up(state, next.policies)) return;
  if (has_no_starts_left(state, next.policies)) return;
  state.status = ScheduleStatus::active;
  state.counts.consecutive_failures = 0;
}

}  // namespace

Result<> on(StepContext& deciding, const Edited& event) {
  const Definition& next = *event.next;
  bring_up_to_date(deciding, next.is_enabled ? Hold::nobody : Hold::automatic);
  settle_pause(deciding);
  ScheduleState& state = deciding.state();
  if (!next.is_enabled && state.status != ScheduleStatus::disabled) hold_automatic(deciding, PauseMissed::skip);
  add_change(deciding, ChangeKind::updated, event.by);
  deciding.out.changes.back().document = event.document;
  // An automatic pause or its end counts as a change of its own, so the definition may lag behind by one.
  CARILLON_ASSERT(next.revision > deciding.definition.revision);

  pass_over_due(deciding, next);
  state.own_since = deciding.now;
  state.has_note = false;
  count_starts_under(deciding, next.policies);
  if (state.status == ScheduleStatus::disabled || !next.is_enabled) forgive(state, deciding.definition, next);
  apply_enabled(deciding, next.is_enabled);
  revive(state, next);
  if (state.status == ScheduleStatus::active && is_used_up(state, next.policies)) state.status = ScheduleStatus::done;
  // What waits may be free to start under the new policies.
  deciding.has_more |= !deciding.waiting.empty();
  for (Backfill* backfill : open_backfills(deciding)) backfill->total = backfill->done + left_of(next, *backfill);
  return {};
}

}  // namespace carillon
