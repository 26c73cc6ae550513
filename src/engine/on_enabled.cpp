#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Enabled& event) {
  ScheduleState& state = deciding.state();
  if (state.status != ScheduleStatus::disabled) return std::unexpected(wrong_status("enable", state.status));
  // What came due while it was disabled is nobody's.
  pass_over_due(deciding, deciding.definition);
  state.own_since = deciding.now;
  state.status = end_by_limits(state, deciding.policies())
                     .value_or(state.paused_at ? ScheduleStatus::paused : ScheduleStatus::active);
  add_change(deciding, ChangeKind::enabled, event.by);
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
