#pragma once

#include "engine/attempt_end.hpp"

namespace carillon {

/// What an attempt's end means to its run, given why its worker asked it to end, if it did. The one table for it; what
/// is not known for certain is `lost`, so that `retry.onLost` decides.
///
///   as the executor saw it          nobody asked     its time was over   a user, or a shutdown
///   succeeded                       succeeded        succeeded           succeeded
///   failed                          failed           timed_out           cancelled
///   cancelled, launched before      lost             timed_out           cancelled
///   cancelled, never launched       released         timed_out           cancelled
///   released                        released         released            released
///   released, with retry_after      released         timed_out           cancelled
///   lost                            lost             lost                lost
///
/// A run that a user has cancelled ends as cancelled also if its attempt is released or lost.
[[nodiscard]] AttemptOutcome outcome_of(const AttemptEnd& end, StopCause cause, bool is_launched);

}  // namespace carillon
