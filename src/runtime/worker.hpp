#pragma once

#include "base/error.hpp"
#include "ports/clock.hpp"
#include "ports/executor_registry.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "runtime/attempt_adoption.hpp"
#include "runtime/attempt_reporter.hpp"
#include "runtime/attempt_supervisor.hpp"
#include "runtime/leased_session.hpp"
#include "runtime/running_attempts.hpp"
#include "scheduling/edition_source.hpp"
#include "scheduling/shared_definitions.hpp"

#include <span>
#include <vector>

namespace carillon {

/// What a worker works with; all of it outlives the worker.
struct WorkerParts {
  ScheduleStore& store;
  RunQueue& queue;
  SharedDefinitions& definitions;
  Clock& clock;
  Log& log;
  RunningAttempts& attempts;
  ExecutorRegistry executors;
};

struct WorkerOptions {
  SessionOptions session;
  RunIdMaker run_id{};
};

/// Claims runs and performs them. One turn of it, `tick`, is driven from outside by one thread; what it consists of are
/// parts with one job each.
class Worker {
 public:
  Worker(const WorkerParts& parts, WorkerOptions options);

  /// Renews the lease, tells what ended, claims and launches. When it wants to be called again at the latest, since
  /// boot; earlier if the alarm of its attempts rings.
  [[nodiscard]] Duration tick();

  /// Goes on with attempts of an earlier worker (AttemptAdoption::take_over). Before the first tick.
  [[nodiscard]] Result<std::vector<AttemptKey>> take_over(SessionId session, std::span<const DetachedAttempt> detached);

  /// Where runs are claimed for this worker, by itself and inside commits.
  [[nodiscard]] LeasedSession& session() { return session_; }

  /// Asks all that runs to end, or ends it by force; it is recorded as cancelled. From any thread.
  void stop_all(Stop how) { supervisor_.stop_all(how); }
  /// Whether all has ended and been told, and nothing is about to come. From any thread.
  [[nodiscard]] bool is_idle() { return attempts_.is_empty() && !session_.has_reservations(); }
  /// Gives the session back while its runs go on elsewhere: the next worker follows them. After the last tick.
  void hand_over();
  /// Gives the sessions back; nothing may run any more. After the last tick.
  void leave();

 private:
  void claim_and_launch(Duration now);
  [[nodiscard]] Duration next_tick(Duration now);

  Clock& clock_;
  RunningAttempts& attempts_;
  EditionSource editions_;
  AttemptSupervisor supervisor_;
  LeasedSession session_;
  AttemptReporter reporter_;
  AttemptAdoption adoption_;
};

}  // namespace carillon
