#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const Triggered& event) {
  // The trigger comes before backfills: what an exclusive one starts in this step could not be asked to stop.
  bring_automatic_up_to_date(deciding);
  deciding.has_more |= has_running_backfill(deciding);
  admit(deciding,
        {.nominal = event.nominal.value_or(deciding.now),
         .due = deciding.now,
         .source = Source::trigger,
         .verdict = Waits{},
         .holds_slot = event.overlap != OverlapPolicy::allow_all,
         .overlap = event.overlap,
         .trigger = event.id,
         .payload = event.payload},
        event.overlap);
  return {};
}

}  // namespace carillon
