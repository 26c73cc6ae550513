#include "engine/step_context.hpp"

namespace carillon {
namespace {

bool every_start(const WaitingStart&) { return true; }

// In a pause that keeps what it misses nothing will ever come of what was kept.
void settle(StepContext& deciding) {
  if (deciding.policies().pause.missed == PauseMissed::skip) return settle_pause(deciding);
  if (deciding.state().status != ScheduleStatus::paused) return;
  if (const auto newest = deciding.definition.newest_due(deciding.now))
    skip_through(deciding, *newest, SkipReason::deleted);
}

}  // namespace

Result<> on(StepContext& deciding, const Deleted& event) {
  bring_up_to_date(deciding, Hold::everybody);
  settle(deciding);
  skip_waiting(deciding, SkipReason::deleted, every_start);
  for (const LiveRun& run : deciding.view.live) {
    if (!is_open(run)) continue;
    const bool is_queued = run.state == RunState::queued;
    // A queued one that a worker claims in this very moment runs, but without retries.
    if (is_queued)
      deciding.out.orders.push_back({.seq = run.seq, .kind = RunOrder::Kind::withdraw, .reason = SkipReason::deleted});
    deciding.out.orders.push_back({.seq = run.seq, .kind = RunOrder::Kind::end_retries});
  }
  for (Backfill* backfill : open_backfills(deciding)) backfill->state = BackfillState::cancelled;
  deciding.state().deleted_at = deciding.now;
  add_change(deciding, ChangeKind::deleted, event.by);
  return {};
}

}  // namespace carillon
