#include "runtime/attempt_outcome.hpp"

#include <utility>

namespace carillon {
namespace {

AttemptOutcome unless_asked(StopCause cause, AttemptOutcome otherwise) {
  switch (cause) {
    case StopCause::none: return otherwise;
    case StopCause::timeout: return AttemptOutcome::timed_out;
    case StopCause::user:
    case StopCause::shutdown: return AttemptOutcome::cancelled;
  }
  std::unreachable();
}

}  // namespace

AttemptOutcome outcome_of(AttemptEnd::Kind kind, StopCause cause, bool is_launched) {
  switch (kind) {
    case AttemptEnd::Kind::succeeded: return AttemptOutcome::succeeded;
    case AttemptEnd::Kind::lost: return AttemptOutcome::lost;
    case AttemptEnd::Kind::too_late: return AttemptOutcome::released;
    case AttemptEnd::Kind::postponed: return unless_asked(cause, AttemptOutcome::released);
    case AttemptEnd::Kind::failed:
    case AttemptEnd::Kind::not_launched: return unless_asked(cause, AttemptOutcome::failed);
    case AttemptEnd::Kind::stopped:
      // An executor ends what nobody asked to end when the right to perform it is over.
      return unless_asked(cause, is_launched ? AttemptOutcome::lost : AttemptOutcome::released);
  }
  std::unreachable();
}

}  // namespace carillon
