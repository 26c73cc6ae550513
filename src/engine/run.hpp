#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/policies.hpp"
#include "definitions/words.hpp"

#include <cstdint>
#include <optional>

namespace carillon {

/// How the worker of a run was asked to end it. A request can become stronger, never weaker.
enum class Stop { none, cancel, terminate };

/// The run machine: what becomes of one start of an action, attempt by attempt. It knows nothing of schedules, so that
/// a job without one goes the same way.
///
///     queued ──claim──▶ running ──finish──▶ succeeded · failed · timed_out · lost · cancelled
///       │ ▲                │
///       │ └─── retrying ◀──┘ while attempts are left
///       └──▶ cancelled · expired
///
/// A claimed attempt that was never launched may be given back: the run waits again, at once, and the attempt does not
/// count against `maxAttempts`.
///
/// A run whose attempts were lost `lost_max` times in a row ends as `lost` and is parked: a dead letter, for a person
/// to look at.
///
/// A run that ended never changes again, but for that mark.
struct Run {
  RunState state = RunState::queued;
  std::int64_t attempt = 0;  // number of the newest attempt; 0 before the first
  std::optional<AttemptState> attempt_state{};
  Stop stop = Stop::none;
  bool may_retry = true;            // false once its schedule is deleted
  std::int64_t released_count = 0;  // attempts that were given back before they were launched
  std::int64_t lost_count = 0;      // the newest attempts in a row that were lost
  bool is_parked = false;           // it has ended as a dead letter, and nobody has dealt with it yet
  Instant queued_at;
  Instant claimable_from;               // not before this, while queued or retrying
  std::optional<Instant> expires_at{};  // when it has waited too long for its first attempt
  std::optional<Instant> started_at{};  // first launch
  std::optional<Instant> ended_at{};

  friend bool operator==(const Run&, const Run&) = default;
};

/// A run that ends several workers one after the other would end them all.
inline constexpr std::int64_t lost_max_default = 3;

/// What the machine needs of the run's policies. What a document leaves to the kind of action is filled in.
struct RunRules {
  Policies::Retry retry;
  bool retries_when_lost = false;
  std::optional<Duration> start_deadline;
  std::int64_t lost_max = lost_max_default;  // lost so often in a row, it is not tried again, but parked
};

/// How an attempt ended. `lost`: it may have been launched, and its outcome is unknown. `released`: it was certainly
/// not launched, for no fault of its own.
enum class AttemptOutcome { succeeded, failed, timed_out, cancelled, lost, released };

[[nodiscard]] Run queued_run(const RunRules& rules, Instant now);

// Each function returns the run as it is to be written, or an error conflict that says why the event does not apply any
// more: the run has ended, or the event is about an attempt that is not the newest. After a conflict nothing is to be
// written.

/// A worker claims the run: it gets a new attempt, which is recorded before anything is launched.
[[nodiscard]] Result<Run> claim(Run run, Instant now);

/// The attempt is launched; it happens at most once per attempt.
[[nodiscard]] Result<Run> launch(Run run, std::int64_t attempt, Instant now);

/// The attempt has ended: so has the run, or it waits for its next attempt. `seed` chooses the jitter of the delay; a
/// `retry_after` that the action asked for counts if it is longer. An error conflict if an attempt is to be released
/// that was launched.
[[nodiscard]] Result<Run> finish(Run run, std::int64_t attempt, AttemptOutcome outcome, const RunRules& rules,
                                 Instant now, std::uint64_t seed, std::optional<Duration> retry_after = {});

/// Whether the run gets another attempt if its newest one ends like this. `finish` decides by it.
[[nodiscard]] bool is_tried_again(const Run& run, AttemptOutcome outcome, const RunRules& rules);

/// Whether a run has ended, and not as anybody wanted it.
[[nodiscard]] inline bool has_failed(const Run& run) {
  return run.state == RunState::failed || run.state == RunState::timed_out || run.state == RunState::lost;
}

/// Ends a run that no worker has. Asks the worker of a running one to stop; the run ends when the worker reports.
[[nodiscard]] Result<Run> cancel(Run run, Stop how, Instant now);

/// Ends a run that is past its start deadline; an error conflict if it is not.
[[nodiscard]] Result<Run> expire(Run run, Instant now);

}  // namespace carillon
