#pragma once

#include "base/instant.hpp"
#include "definitions/action.hpp"
#include "definitions/words.hpp"
#include "engine/attempt_end.hpp"
#include "engine/keys.hpp"
#include "engine/run.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

/// One attempt of one run. It is launched at most once.
struct AttemptKey {
  Seq run{};
  std::int64_t attempt = 0;
  friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

/// What every attempt is told about itself: as `CARILLON_…` variables, headers, or the envelope around a payload.
struct Envelope {
  std::string name_space;
  std::string schedule_id;  // empty: a job without a schedule
  std::string schedule_name;
  std::string run_id;
  std::string run_name;  // also its idempotency key
  Instant nominal;
  Instant due;
  std::int64_t attempt = 0;
  Source source = Source::schedule;
  std::int64_t repeat_number = 0;             // successes counted for totalRepeats before this run
  std::int64_t fence = 0;                     // ascends with every claim of the schedule
  std::optional<std::string> last_result;     // of the newest run that succeeded, JSON
  std::optional<std::string> last_failure{};  // of the newest run if none has succeeded since, JSON
  std::string payload;                        // JSON
  std::string answers_of{};                   // id of the run whose answers this one begins with; empty: none
};

/// An attempt to be performed.
struct Assignment {
  AttemptKey key;
  Action action;
  Envelope envelope;
  Duration launch_before{};  // by Clock::since_boot: after this it must not be launched any more
  // When its worker will ask it to end, by Clock::since_boot, and how long after that it ends it by force: for an
  // executor whose attempts outlive their worker.
  std::optional<Duration> timeout_at{};
  Duration grace{};
  bool is_launched = false;         // of one that is resumed: the store knows that it was launched
  TextMap secrets{};                // what the references of the action stand for, braces included
  bool is_output_withheld = false;  // which secrets are in it is not known: none of it may be kept or shown
};

enum class OutputStream { out, error };

/// An attempt that has outlived the server that launched it, as its executor finds it: it still runs, or its end was
/// kept.
struct DetachedAttempt {
  AttemptKey key;
  Instant launched_at;                   // by this machine's clock
  std::optional<Duration> timeout_at{};  // since boot
  StopCause stopped = StopCause::none;   // or request, or timeout
};

struct RunProgress;

/// Receives what happens to attempts. Called from the executor's threads; for one attempt in the order launched,
/// output and progress, ended. An implementation must return quickly and must not call the executor.
class AttemptEvents {
 public:
  virtual ~AttemptEvents() = default;

  /// What it is called where it is performed, for executors whose attempts are performed elsewhere. Before `launched`.
  virtual void known_as(const AttemptKey& /*key*/, std::string_view /*name*/) {}
  virtual void launched(const AttemptKey& key) = 0;
  virtual void output(const AttemptKey& key, OutputStream stream, std::string_view bytes) = 0;
  /// How far it is (ports/run_progress.hpp), for executors that know.
  virtual void progress(const AttemptKey& /*key*/, const RunProgress& /*progress*/) {}
  /// Called exactly once for every call of `launch`, unless the executor is destroyed before.
  virtual void ended(const AttemptKey& key, AttemptEnd end) = 0;
};

/// Performs attempts of one kind of action. May be called from several threads.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Starts an attempt and returns; the events tell how it goes.
  virtual void launch(Assignment assignment) = 0;

  /// Asks an attempt to end (`cancel`), or ends it by force (`terminate`). Does nothing if it has ended.
  virtual void stop(const AttemptKey& key, Stop how) = 0;

  /// The right to perform attempts lasts until this time, by Clock::since_boot. What still runs after it is ended by
  /// force, even if the rest of this process does not respond.
  virtual void extend_until(Duration since_boot) = 0;

  /// Continues an attempt of an earlier worker: its output and its end are told to the events from now on; `launched`
  /// is not called if it was before. Called only for an executor that has reported the attempt, or whose attempts are
  /// performed elsewhere. Its assignment says nothing of time-outs, which the worker watches.
  virtual void resume(Assignment /*assignment*/) {}

  /// The end of the attempt is in the store, or the attempt has been given up: the executor may forget it.
  virtual void recorded(const AttemptKey& /*key*/) {}
};

}  // namespace carillon
