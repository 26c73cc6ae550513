#pragma once

#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"
#include "scheduling/scheduling.hpp"
#include "scheduling/shared_definitions.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace carillon {

/// Everything that depends on one edition of the zone rules. For one thread; replaced as a whole when the rules change.
struct EditionContext {
  std::shared_ptr<DefinitionCache> definitions;
  Scheduling scheduling;
  RunFinisher finisher;

  /// `server` is a number that no other context has (see Scheduling).
  EditionContext(ScheduleStore& store, RunQueue& queue, SharedDefinitions& shared, std::int64_t server,
                 ClockCheck check_clock = {})
      : definitions{shared.now()},
        scheduling{store, *definitions, server, std::move(check_clock)},
        finisher{queue, *definitions} {}
};

/// A number that no other context, command or worker has, on any machine: drawn from the system's randomness.
[[nodiscard]] std::int64_t unique_number();

}  // namespace carillon
