#include "engine/deciding.hpp"

namespace carillon {

Result<> on(Deciding& deciding, const BecameDue&) {
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
