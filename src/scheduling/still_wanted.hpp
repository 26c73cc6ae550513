#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"

namespace carillon {

/// Whether a claimed run is still to be launched. False if its schedule was deleted since, or if the schedule was
/// paused or disabled and the run is an automatic one. Retries go on during a pause.
[[nodiscard]] Result<bool> is_still_wanted(ScheduleStore& store, const ScheduleKey& key, const QueuedRun& run);

}  // namespace carillon
