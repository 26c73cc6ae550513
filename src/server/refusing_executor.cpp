#include "server/refusing_executor.hpp"

namespace carillon {

void RefusingExecutor::launch(Assignment assignment) {
  events_.ended(assignment.key, {.outcome = AttemptOutcome::failed, .error = reason_});
}

}  // namespace carillon
