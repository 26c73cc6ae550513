#include "engine/step_context.hpp"

namespace carillon {

Result<> on(StepContext& deciding, const BecameDue&) {
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
