#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "ports/executor.hpp"
#include "ports/run_progress.hpp"
#include "ports/run_queue.hpp"
#include "runtime/attempt_outcome.hpp"
#include "runtime/run_events.hpp"
#include "scheduling/definition_cache.hpp"
#include "scheduling/run_finisher.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace carillon {

/// An attempt that this worker has claimed, until the store knows of its end. Times without a note are since boot.
struct RunningAttempt {
  enum class State {
    claimed,    // to be launched, or to be resumed
    launching,  // handed to its executor
    ended,      // the store is to be told
  };

  ClaimedRun claimed;
  State state = State::claimed;
  DefinitionPtr definition{};  // known from its launch on
  std::string run_id{};        // how users name the run; known from its launch on
  bool is_postponed = false;   // its executor could not launch it yet
  std::optional<Duration> not_before{};
  std::optional<Instant> launched_at{};  // by the store's clock
  bool is_launch_told = false;           // the store knows that it was launched
  Stop stop = Stop::none;
  StopCause cause = StopCause::none;
  std::optional<Duration> timeout_at{};
  std::optional<Duration> kill_at{};
  std::string known_as{};  // where it is performed, if that is elsewhere
  bool has_output = false;
  std::optional<RunProgress> progress{};
  std::uint64_t progress_mark = 0;            // when it was told, by the count of all steps
  std::optional<DetachedAttempt> detached{};  // to be resumed instead of launched
  std::optional<AttemptEnd> end{};            // has a value if and only if it has ended
};

/// What an executor is to be told about an attempt. It is told after the attempts are unlocked.
struct StopOrder {
  AttemptKey key;
  ActionKind kind = ActionKind::command;
  Stop how = Stop::cancel;
};

[[nodiscard]] AttemptKey key_of(const RunningAttempt& attempt);
[[nodiscard]] ActionKind kind_of(const RunningAttempt& attempt);
/// Whether it goes on when this server dies. No if its definition is not known.
[[nodiscard]] bool may_outlive_server(const RunningAttempt& attempt);

/// Whether it is performed elsewhere, and can be followed by any worker: it goes on when its session is over.
[[nodiscard]] bool goes_on_elsewhere(const RunningAttempt& attempt);

/// Wants it to end, by what stands in `how`. None if it has ended, if as much was asked before, or if it was not
/// handed to an executor yet: then it will not be launched.
[[nodiscard]] std::optional<StopOrder> ask_to_stop(RunningAttempt& attempt, Stop how, StopCause cause, Duration now);

/// It has ended as its executor says.
void end_attempt(RunningAttempt& attempt, AttemptEnd end, Instant store_now);
/// It will not be launched.
void end_unlaunched(RunningAttempt& attempt, const std::string& error, Instant store_now);
/// Its executor could not launch it, for no fault of its own. It keeps its claim: only the launch is tried again.
void postpone(RunningAttempt& attempt, const AttemptEnd& end, Duration now);

/// An attempt of an earlier worker that goes on. `store_now` is the time of the store.
[[nodiscard]] RunningAttempt adopted_attempt(ClaimedRun run, const DetachedAttempt& detached, Instant store_now);
/// The same of one that is performed elsewhere, and may not have been launched yet.
[[nodiscard]] RunningAttempt followed_attempt(ClaimedRun run);
/// It is about to be resumed by its executor; the order is to be given after that.
[[nodiscard]] std::optional<StopOrder> resume_attempt(RunningAttempt& attempt, Duration now, Instant store_now);

/// What observers are told of one that has ended. Its definition must be known.
[[nodiscard]] AttemptNews news_of(const RunningAttempt& attempt);

}  // namespace carillon
