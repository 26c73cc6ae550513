#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Paused& event) {
  if (event.until && *event.until <= deciding.now)
    return std::unexpected(wrong_request("until", "a pause must end in the future", *event.until));
  bring_up_to_date(deciding, Hold::automatic);
  if (deciding.state().status != ScheduleStatus::active)
    return std::unexpected(wrong_status("pause", deciding.state().status));
  pause(deciding, event.by, event.reason, event.until);
  return {};
}

}  // namespace carillon
