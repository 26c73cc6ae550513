#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

namespace carillon {
namespace {

/// The pause goes on, since when it began; its reason and its end are those of the newer command.
void change_pause(StepContext& deciding, const Paused& event) {
  deciding.state().paused_until = event.until;
  add_change(deciding, ChangeKind::paused, event.by);
  add_reason(deciding, event.reason);
  deciding.out.changes.back().until = event.until;
}

}  // namespace

Result<> on(StepContext& deciding, const Paused& event) {
  if (event.until && *event.until <= deciding.now)
    return std::unexpected(wrong_request("until", "a pause must end in the future", *event.until));
  bring_up_to_date(deciding, Hold::automatic);
  const ScheduleStatus status = deciding.state().status;
  const bool says_something_new = event.until || !event.reason.empty();
  if (status == ScheduleStatus::paused && says_something_new) {
    change_pause(deciding, event);
    return {};
  }
  if (status != ScheduleStatus::active) return std::unexpected(wrong_status("pause", status));
  pause(deciding, event.by, event.reason, event.until);
  return {};
}

}  // namespace carillon
