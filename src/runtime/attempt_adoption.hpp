#pragma once

#include "base/error.hpp"
#include "ports/executor.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "runtime/attempt_supervisor.hpp"
#include "runtime/running_attempts.hpp"

#include <optional>
#include <span>
#include <vector>

namespace carillon {

/// Goes on with attempts that have outlived the server that launched them. They stay in a session of their own, whose
/// lease does not end by itself, until the last of them has ended. Used by the worker's thread alone.
class AttemptAdoption {
 public:
  AttemptAdoption(RunQueue& queue, RunningAttempts& attempts, AttemptSupervisor& supervisor, Log& log);

  /// Takes over those of `detached` that `session` holds, and tells which they are; the others are nobody's any more.
  /// Once, before the first turn of the worker.
  [[nodiscard]] Result<std::vector<AttemptKey>> take_over(SessionId session, std::span<const DetachedAttempt> detached);

  /// Tells what was launched and stops what is to stop. The lease is longer than any failure: one that fails may be
  /// left to the next.
  void beat();
  /// Gives the session back if nothing runs in it any more.
  void leave_if_done();
  /// Gives the session back. Nothing may run in it any more.
  void leave();

 private:
  RunQueue& queue_;
  RunningAttempts& attempts_;
  AttemptSupervisor& supervisor_;
  Log& log_;
  std::optional<SessionId> session_;
};

}  // namespace carillon
