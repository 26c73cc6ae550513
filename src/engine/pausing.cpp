#include "engine/step_context.hpp"

#include <algorithm>

namespace carillon {
namespace {

bool is_own_start(const WaitingStart& waiting) { return is_automatic(waiting.source); }

// What a pause has kept still means what its policy says: whoever runs makes room.
void make_room(StepContext& deciding) {
  if (std::ranges::none_of(deciding.waiting, is_own_start)) return;
  const OverlapPolicy overlap = deciding.policies().overlap;
  if (overlap == OverlapPolicy::cancel_other) stop_others(deciding, RunOrder::Kind::cancel);
  if (overlap == OverlapPolicy::terminate_other) stop_others(deciding, RunOrder::Kind::terminate);
}

bool is_over(const ScheduleState& state, Instant now) {
  return state.status == ScheduleStatus::paused && state.paused_until && *state.paused_until <= now;
}

}  // namespace

void add_change(StepContext& deciding, ChangeKind kind, const std::string& by) {
  ++deciding.state().revision;
  deciding.out.changes.push_back({.kind = kind, .revision = deciding.state().revision, .by = by});
}

void add_reason(StepContext& deciding, const std::string& reason) {
  deciding.out.changes.back().reason = reason;
  deciding.state().has_note |= !reason.empty();
}

void hold_automatic(StepContext& deciding, PauseMissed missed) {
  const bool is_kept = missed == PauseMissed::buffer;
  const auto kind = is_kept ? RunOrder::Kind::hold_back : RunOrder::Kind::withdraw;
  for (const LiveRun& run : deciding.view.live)
    if (run.state == RunState::queued && !run.withdrawn && is_automatic(run.source))
      deciding.out.orders.push_back({.seq = run.seq, .kind = kind, .reason = SkipReason::paused});
  if (!is_kept) skip_waiting(deciding, SkipReason::paused, is_own_start);
  // The slot may become free for a start by hand, without any run having ended.
  deciding.has_more |= !deciding.out.orders.empty() && !std::ranges::all_of(deciding.waiting, is_own_start);
}

void pause(StepContext& deciding, const std::string& by, const std::string& reason, std::optional<Instant> until) {
  ScheduleState& state = deciding.state();
  state.status = ScheduleStatus::paused;
  state.paused_at = deciding.now;
  state.paused_until = until;
  hold_automatic(deciding, deciding.policies().pause.missed);
  add_change(deciding, ChangeKind::paused, by);
  add_reason(deciding, reason);
  deciding.out.changes.back().until = until;
}

void settle_pause(StepContext& deciding) {
  if (deciding.state().status != ScheduleStatus::paused) return;
  if (deciding.policies().pause.missed == PauseMissed::buffer) {
    decide_due(deciding);
  } else if (const auto newest = deciding.definition.newest_due(deciding.now)) {
    skip_through(deciding, *newest, SkipReason::paused);
  }
}

void resume(StepContext& deciding, const std::string& by, Instant since, const std::string& reason) {
  ScheduleState& state = deciding.state();
  if (deciding.policies().pause.missed == PauseMissed::skip) {
    if (const auto newest = deciding.definition.newest_due(since)) skip_through(deciding, *newest, SkipReason::paused);
    state.own_since = std::max(state.own_since, since);
  }
  state.status = ScheduleStatus::active;
  state.paused_at.reset();
  state.paused_until.reset();
  add_change(deciding, ChangeKind::resumed, by);
  add_reason(deciding, reason);
  make_room(deciding);
}

void bring_up_to_date(StepContext& deciding, Hold hold) {
  bring_automatic_up_to_date(deciding, hold);
  if (hold != Hold::everybody && !deciding.state().deleted_at) advance_backfills(deciding);
}

void bring_automatic_up_to_date(StepContext& deciding, Hold hold) {
  deciding.hold = hold;
  count_ended(deciding);
  ScheduleState& state = deciding.state();
  if (state.deleted_at) return;
  // "Until nine" means that nine is free again.
  if (is_over(state, deciding.now)) resume(deciding, "carillon", *state.paused_until - Duration{1});
  apply_limits(deciding);
  release_waiting(deciding);
  if (state.status == ScheduleStatus::active) decide_due(deciding);
}

}  // namespace carillon
