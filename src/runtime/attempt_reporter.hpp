#pragma once

#include "ports/clock.hpp"
#include "ports/log.hpp"
#include "runtime/attempt_supervisor.hpp"
#include "runtime/running_attempts.hpp"
#include "scheduling/edition_source.hpp"

#include <optional>
#include <span>

namespace carillon {

/// Tells the store how attempts have ended, until the store has it. Used by the worker's thread alone.
class AttemptReporter {
 public:
  AttemptReporter(RunningAttempts& attempts, AttemptSupervisor& supervisor, EditionSource& editions, Clock& clock,
                  Log& log);

  /// Tells all that has ended, unless the store has refused that a moment ago.
  void report(Duration now);

  /// When there is something to tell, since boot; none if nothing has ended.
  [[nodiscard]] std::optional<Duration> next_tick(Duration now);

 private:
  void log_late(std::span<const AttemptKey> keys, std::span<const RunWritten> outcomes);

  RunningAttempts& attempts_;
  AttemptSupervisor& supervisor_;
  EditionSource& editions_;
  Clock& clock_;
  Log& log_;
  std::optional<Duration> next_try_;  // since boot; after a failure
};

}  // namespace carillon
