#include "runtime/attempt_outcome.hpp"

#include <utility>

namespace carillon {
namespace {

AttemptOutcome unless_asked(StopCause cause, AttemptOutcome otherwise) {
  switch (cause) {
    case StopCause::none:
    case StopCause::lease: return otherwise;
    case StopCause::timeout: return AttemptOutcome::timed_out;
    case StopCause::request:
    case StopCause::shutdown: return AttemptOutcome::cancelled;
  }
  std::unreachable();
}

}  // namespace

AttemptOutcome outcome_of(const AttemptEnd& end, StopCause cause, bool is_launched) {
  switch (end.outcome) {
    case AttemptOutcome::succeeded:
    case AttemptOutcome::timed_out:
    case AttemptOutcome::lost: return end.outcome;
    case AttemptOutcome::failed: return unless_asked(cause, AttemptOutcome::failed);
    case AttemptOutcome::released:
      return end.retry_after ? unless_asked(cause, AttemptOutcome::released) : AttemptOutcome::released;
    case AttemptOutcome::cancelled:
      // An executor ends what nobody asked to end when the right to perform it is over.
      return unless_asked(cause, is_launched ? AttemptOutcome::lost : AttemptOutcome::released);
  }
  std::unreachable();
}

}  // namespace carillon
