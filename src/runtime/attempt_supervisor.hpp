#pragma once

#include "ports/clock.hpp"
#include "ports/executor_registry.hpp"
#include "ports/log.hpp"
#include "ports/run_queue.hpp"
#include "ports/schedule_store.hpp"
#include "runtime/running_attempts.hpp"
#include "scheduling/shared_definitions.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace carillon {

/// How users name a run; an empty function: not at all.
using RunIdMaker = std::function<std::string(Seq)>;

/// Hands claimed attempts to their executors and ends those that are to end: because a user said so, because their time
/// is over, because the server stops, or because the session they were claimed in is over. Used by the worker's thread
/// alone, except for `stop_all`.
class AttemptSupervisor {
 public:
  /// `store` is asked whether a run that could not be launched at once is still wanted.
  AttemptSupervisor(RunningAttempts& attempts, ExecutorRegistry executors, ScheduleStore& store,
                    SharedDefinitions& definitions, Clock& clock, Log& log, RunIdMaker run_id);

  /// Launches or resumes what was claimed. Nothing is launched after `launch_before`, since boot. What cannot be
  /// launched ends; if that is not known because the store does not answer, it is tried again later.
  void launch_claimed(Duration launch_before);
  /// Stops what has run for too long or has been asked to end for too long.
  void watch_time();
  /// Stops what users want to end.
  void apply_stop_requests(std::span<const StopRequest> requests);
  /// Asks all that runs to end, or ends it by force; it is recorded as cancelled. From any thread.
  void stop_all(Stop how);

  /// The right to perform attempts lasts until then, since boot.
  void extend_until(Duration since_boot);
  /// The session is over. What has ended by itself can still be told; the rest is ended by force and forgotten, and the
  /// store will say that it is lost. Tells how many were running.
  [[nodiscard]] std::size_t abandon(SessionId session);
  /// The store knows of these ends, so that nobody will ask for them again.
  void forget_recorded(std::span<const AttemptKey> keys);

  /// When the next thing is to be done, since boot; none while there is nothing to wait for.
  [[nodiscard]] std::optional<Duration> next_tick(Duration now);

 private:
  void launch(const AttemptKey& key, DefinitionCache& definitions, Duration launch_before);
  void resume(const AttemptKey& key, const Result<DefinitionPtr>& definition);
  /// Whether an attempt that was not launched when it was claimed is still to be launched; if not, it has ended.
  [[nodiscard]] bool is_wanted(const AttemptKey& key, const Definition& definition);
  /// The executor and what it is told; none if the attempt has ended instead.
  struct PreparedLaunch {
    Executor& executor;
    Assignment assignment;
    bool is_first;
  };
  [[nodiscard]] std::optional<PreparedLaunch> prepare(const AttemptKey& key, const Result<DefinitionPtr>& definition,
                                                      Duration launch_before);
  void end_without_launch(RunningAttempt& attempt, const std::string& error);
  void tell_unlaunched();
  void send(std::span<const StopOrder> orders);

  RunningAttempts& attempts_;
  const ExecutorRegistry executors_;
  ScheduleStore& store_;
  SharedDefinitions& definitions_;
  Clock& clock_;
  Log& log_;
  RunIdMaker run_id_;
  std::optional<Duration> next_launch_;       // since boot; only while the store cannot be asked what to launch
  std::vector<AttemptNews> unlaunched_news_;  // for the observer, who is told without the lock
};

}  // namespace carillon
