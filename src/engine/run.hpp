#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "definitions/policies.hpp"
#include "definitions/words.hpp"

#include <cstdint>
#include <optional>

namespace carillon {

/// How the worker of a run has been asked to end it; the request only grows.
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
/// A run that ended never changes again.
struct Run {
  RunState state = RunState::queued;
  std::int64_t attempt = 0;  // number of the newest attempt; 0 before the first
  std::optional<AttemptState> attempt_state{};
  Stop stop = Stop::none;
  bool may_retry = true;            // false once its schedule is deleted
  std::int64_t released_count = 0;  // attempts that were given back before they were launched
  Instant queued_at;
  Instant claimable_from;               // not before this, while queued or retrying
  std::optional<Instant> expires_at{};  // when it has waited too long for its first attempt
  std::optional<Instant> started_at{};  // first launch
  std::optional<Instant> ended_at{};

  friend bool operator==(const Run&, const Run&) = default;
};

/// What the machine needs to know of the run's policies; the action has settled what a document may leave to it.
struct RunRules {
  Policies::Retry retry;
  bool retries_when_lost = false;
  std::optional<Duration> start_deadline;
};

/// How an attempt ended. `lost`: it may have been launched, and nobody knows what became of it. `released`: it was
/// certainly never launched, for no fault of its own.
enum class AttemptOutcome { succeeded, failed, timed_out, cancelled, lost, released };

[[nodiscard]] Run queued_run(const RunRules& rules, Instant now);

// Each step returns the run as it is to be written, or a conflict that says why the event no longer applies: the run
// has ended, or the event is about an attempt that is not the newest. A conflict changes nothing.

/// A worker takes the run: a new attempt, recorded before anything is launched.
[[nodiscard]] Result<Run> claim(Run run, Instant now);

/// The attempt is launched; it happens at most once per attempt.
[[nodiscard]] Result<Run> launch(Run run, std::int64_t attempt, Instant now);

/// The attempt has ended: the run too, or it waits for its next attempt. `seed` draws the jitter of the delay; a
/// `retry_after` that the action asked for counts when it is longer. An attempt that was launched cannot be released:
/// that is a conflict.
[[nodiscard]] Result<Run> finish(Run run, std::int64_t attempt, AttemptOutcome outcome, const RunRules& rules,
                                 Instant now, std::uint64_t seed, std::optional<Duration> retry_after = {});

/// Whether the run has another attempt after its newest one has ended like this: what `finish` decides by.
[[nodiscard]] bool is_tried_again(const Run& run, AttemptOutcome outcome, const RunRules& rules);

/// Ends a run that no worker has; asks the worker of a running one to stop, whose answer then ends it.
[[nodiscard]] Result<Run> cancel(Run run, Stop how, Instant now);

/// Ends a run that waited too long for its first attempt; a conflict if it has not.
[[nodiscard]] Result<Run> expire(Run run, Instant now);

}  // namespace carillon
