#pragma once

#include "base/error.hpp"
#include "engine/keys.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "service/run_ids.hpp"

#include <carillon/schedule.hpp>

#include <cstddef>
#include <vector>

namespace carillon {

/// The runs of a schedule's present life, newest first, at most `limit`. Reads the ledger from its end, in steps that
/// grow, until it has them or the schedule's beginning: the cost follows how far back they lie.
[[nodiscard]] Result<std::vector<RunRecord>> read_history(ScheduleStore& store, RunQueue& queue, const RunIds& run_ids,
                                                          const ScheduleKey& key, std::size_t limit);

}  // namespace carillon
