#pragma once

#include "engine/run.hpp"
#include "ports/executor.hpp"

namespace carillon {

/// Why a worker asked an attempt to end, if it did.
enum class StopCause { none, user, timeout, shutdown };

/// What an attempt's end means to its run. The one table for it; what is not known for certain is `lost`, so that
/// `retry.onLost` decides.
///
///   as the executor saw it          nobody asked     its time was over   a user, or a shutdown
///   succeeded                       succeeded        succeeded           succeeded
///   failed                          failed           timed_out           cancelled
///   stopped, launched before        lost             timed_out           cancelled
///   stopped, never launched         released         timed_out           cancelled
///   not_launched: it cannot be      failed           timed_out           cancelled
///   too_late: never launched        released         released            released
///   lost                            lost             lost                lost
///
/// A run that a user has cancelled ends as cancelled also if its attempt is released or lost.
[[nodiscard]] AttemptOutcome outcome_of(AttemptEnd::Kind kind, StopCause cause, bool is_launched);

}  // namespace carillon
