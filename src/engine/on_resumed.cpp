#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Resumed& event) {
  if (deciding.state().status != ScheduleStatus::paused)
    return std::unexpected(wrong_status("resume", deciding.state().status));
  // The pause may have been over before the user came.
  const auto until = deciding.state().paused_until;
  const bool is_over = until && *until <= deciding.now;
  resume(deciding, event.by, is_over ? *until - Duration{1} : deciding.now, event.reason);
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
