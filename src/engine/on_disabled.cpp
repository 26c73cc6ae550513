#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Disabled& event) {
  ScheduleState& state = deciding.state();
  if (state.status == ScheduleStatus::disabled) return std::unexpected(wrong_status("disable", state.status));
  bring_up_to_date(deciding, Hold::automatic);
  settle_pause(deciding);
  hold_automatic(deciding, PauseMissed::skip);
  state.status = ScheduleStatus::disabled;
  add_change(deciding, ChangeKind::disabled, event.by);
  return {};
}

}  // namespace carillon
