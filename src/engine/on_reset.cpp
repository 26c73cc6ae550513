#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Reset& event) {
  bring_up_to_date(deciding);
  ScheduleState& state = deciding.state();
  state.counts.repeats = 0;
  restart_counting_starts(deciding);
  state.counts.consecutive_failures = 0;
  if (state.status == ScheduleStatus::done || state.status == ScheduleStatus::dead) {
    // What came due while it was over is nobody's.
    pass_over_due(deciding, deciding.definition);
    state.own_since = deciding.now;
    state.status = ScheduleStatus::active;
  }
  add_change(deciding, ChangeKind::reset, event.by);
  return {};
}

}  // namespace carillon
