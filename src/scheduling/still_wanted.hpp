#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"

namespace carillon {

/// Whether a run that was claimed and has not begun is still to begin: its schedule has not been deleted since, and not
/// paused or disabled if the run is one of its own. Retries go on in a pause.
[[nodiscard]] Result<bool> is_still_wanted(ScheduleStore& store, const ScheduleKey& key, const QueuedRun& run);

}  // namespace carillon
