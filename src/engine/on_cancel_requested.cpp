#include "engine/step_context.hpp"

#include <algorithm>

namespace carillon {

Result<> on(StepContext& deciding, const CancelRequested& event) {
  const auto run = std::ranges::find(deciding.view.live, event.run, &LiveRun::seq);
  if (run == deciding.view.live.end() || run->withdrawn || is_terminal(run->state))
    return fail(ErrorCode::conflict, "the run has already ended");
  // A start that waits is given up before the slot is looked at, so that it is not released in the same breath.
  const auto waiting = std::ranges::find(deciding.waiting, event.run, &WaitingStart::seq);
  if (waiting != deciding.waiting.end()) {
    if (!waiting->is_held_back) count_start(deciding, waiting->source);
    deciding.waiting.erase(waiting);
  }
  deciding.out.orders.push_back({.seq = event.run, .kind = RunOrder::Kind::cancel});
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
