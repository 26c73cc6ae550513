#pragma once

#include "base/loop_monitor.hpp"
#include "ports/log.hpp"
#include "service/access.hpp"
#include "service/admission.hpp"
#include "service/backfills.hpp"
#include "service/event_subscriptions.hpp"
#include "service/idempotent_requests.hpp"
#include "service/job_claims.hpp"
#include "service/load_spread.hpp"
#include "service/locks.hpp"
#include "service/log_followers.hpp"
#include "service/operation.hpp"
#include "service/parts.hpp"
#include "service/pipelines.hpp"
#include "service/queries.hpp"
#include "service/refusal_recorder.hpp"
#include "service/repeated_answers.hpp"
#include "service/revisions.hpp"
#include "service/runs.hpp"
#include "service/schedule_batches.hpp"
#include "service/schedules.hpp"
#include "service/sessions.hpp"
#include "service/shutdown.hpp"
#include "service/start_limit.hpp"
#include "service/system.hpp"
#include "service/timeline.hpp"
#include "service/workers.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace carillon {

struct ApplicationOptions {
  double starts_per_second = 1'000;                // of one caller
  std::chrono::milliseconds beat_interval{2'000};  // how soon the event subscription of a revoked token ends
  LoopMonitor* loops = nullptr;                    // watches the threads
};

/// The application behind every interface. A door (REST, gRPC, …) translates a request into calls of this and the
/// answer back; it decides nothing itself. The way of a request:
///
/// 1. `admit` says who asks and whether the operation is allowed.
/// 2. A write counts its start (`count_start`) and, if its caller gave it a key, goes through `requests()`.
/// 3. `perform` runs the use case and sees to it that what is refused gets into the audit log.
///
/// All of it may be called from several threads. Everything waits for the store unless it says otherwise.
class Application {
 public:
  Application(const ServiceParts& parts, const ApplicationOptions& options, Log& log);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// Ends event subscriptions, waiting claims and followed logs, and writes what is left of the audit log. Requests may
  /// still be carried out afterwards, but nothing may be left waiting. Safe to call twice.
  void stop();

  /// The server is stopping and waits for runs: what would begin something new is refused from now on (see Shutdown).
  /// Before `stop`, once.
  void begin_shutdown(std::function<std::size_t()> running_count) { shutdown_.begin(std::move(running_count)); }

  /// See Admission.
  [[nodiscard]] Served<Caller> admit(const Credentials& credentials, const Operation& operation) {
    return admission_.admit(credentials, operation);
  }
  /// Does not wait for the store: none if it would have to be asked.
  [[nodiscard]] std::optional<Served<Caller>> admit_known(const Credentials& credentials, const Operation& operation) {
    return admission_.admit_known(credentials, operation);
  }

  /// Counts a request that starts a run; refuses (too_many) a caller who starts too many. Does not wait.
  [[nodiscard]] Served<> count_start(const Caller& caller, const Operation& operation);

  /// Runs a use case: `work` yields Served<…>, which is given back.
  template <typename Work>
  [[nodiscard]] auto perform(const Caller& caller, const Operation& operation, const Work& work) {
    auto served = work();
    if (!served) admission_.note_refusal(caller, operation, served.error());
    return served;
  }

  [[nodiscard]] Access& access() { return access_; }
  [[nodiscard]] Sessions& sessions() { return sessions_; }
  [[nodiscard]] Schedules& schedules() { return schedules_; }
  [[nodiscard]] ScheduleBatches& batches() { return batches_; }
  [[nodiscard]] Queries& queries() { return queries_; }
  [[nodiscard]] Revisions& revisions() { return revisions_; }
  [[nodiscard]] Timelines& timelines() { return timelines_; }
  [[nodiscard]] LoadSpread& load_spread() { return load_spread_; }
  [[nodiscard]] Backfills& backfills() { return backfills_; }
  [[nodiscard]] Runs& runs() { return runs_; }
  [[nodiscard]] Pipelines& pipelines() { return pipelines_; }
  [[nodiscard]] Workers& workers() { return workers_; }
  [[nodiscard]] System& system() { return system_; }
  [[nodiscard]] Locks& locks() { return locks_; }
  [[nodiscard]] IdempotentRequests& requests() { return requests_; }
  [[nodiscard]] RepeatedAnswers& repeated_answers() { return repeated_answers_; }
  [[nodiscard]] EventSubscriptions& events() { return events_; }
  [[nodiscard]] LogFollowers& log_followers() { return log_followers_; }
  [[nodiscard]] JobClaims& claims() { return claims_; }

  [[nodiscard]] Clock& clock() { return parts_.clock; }
  /// Tells of writes, for a door that keeps answers.
  [[nodiscard]] Notifier& notifier() { return parts_.store.notifier; }

 private:
  WorkerPresence presence_;
  const ServiceParts parts_;
  Shutdown shutdown_;
  Access access_;
  Sessions sessions_;
  Schedules schedules_;
  Queries queries_;
  Revisions revisions_;
  Timelines timelines_;
  LoadSpread load_spread_;
  Backfills backfills_;
  Runs runs_;
  Pipelines pipelines_;
  Workers workers_;
  System system_;
  Locks locks_;
  StartLimit starts_;
  ScheduleBatches batches_;
  IdempotentRequests requests_;
  RepeatedAnswers repeated_answers_;
  RefusalRecorder refusals_;
  Admission admission_;
  EventSubscriptions events_;
  LogFollowers log_followers_;
  JobClaims claims_;
  // Last: they call what stands above.
  NotifierSubscription changes_;
  std::shared_ptr<void> progress_;
};

}  // namespace carillon
