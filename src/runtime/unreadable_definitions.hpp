#pragma once

#include "ports/log.hpp"
#include "scheduling/run_finisher.hpp"

#include <cstdint>

namespace carillon {

/// Logs the definitions that a finisher could not read since the last call.
inline void log_unreadable_definitions(Log& log, RunFinisher& finisher) {
  for (const UnreadableDefinition& unreadable : finisher.take_unreadable())
    log.error("definition cannot be read, its runs are not retried",
              {{"schedule", static_cast<std::int64_t>(unreadable.name.uid)},
               {"revision", unreadable.name.revision},
               {"error", unreadable.error}});
}

}  // namespace carillon
