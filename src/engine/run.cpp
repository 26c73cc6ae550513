#include "engine/run.hpp"

#include "engine/retry_delay.hpp"

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

bool is_claimable(RunState state) { return state == RunState::queued || state == RunState::retrying; }

AttemptState attempt_state_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::succeeded: return AttemptState::succeeded;
    case AttemptOutcome::failed: return AttemptState::failed;
    case AttemptOutcome::timed_out: return AttemptState::timed_out;
    case AttemptOutcome::cancelled: return AttemptState::cancelled;
    case AttemptOutcome::lost: return AttemptState::lost;
    case AttemptOutcome::released: return AttemptState::released;
  }
  std::unreachable();
}

RunState run_state_of(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::succeeded: return RunState::succeeded;
    case AttemptOutcome::failed: return RunState::failed;
    case AttemptOutcome::timed_out: return RunState::timed_out;
    case AttemptOutcome::cancelled: return RunState::cancelled;
    case AttemptOutcome::lost: return RunState::lost;
    // It had not begun when it was no longer wanted.
    case AttemptOutcome::released: return RunState::cancelled;
  }
  std::unreachable();
}

bool is_worth_a_retry(AttemptOutcome outcome, const RunRules& rules) {
  switch (outcome) {
    case AttemptOutcome::succeeded:
    case AttemptOutcome::cancelled: return false;
    case AttemptOutcome::failed:
    case AttemptOutcome::timed_out: return true;
    case AttemptOutcome::lost: return rules.retries_when_lost;
    case AttemptOutcome::released: return true;
  }
  std::unreachable();
}

/// Attempts that count against the limit: all but those that were given back.
std::int64_t used_attempts(const Run& run) { return run.attempt - run.released_count; }

std::int64_t lost_count_after(const Run& run, AttemptOutcome outcome) {
  // One that was never launched says nothing about its workers.
  if (outcome == AttemptOutcome::released) return run.lost_count;
  return outcome == AttemptOutcome::lost ? run.lost_count + 1 : 0;
}

/// Waits as it did before it was claimed.
Run give_back(Run run, const RunRules& rules, Instant now) {
  ++run.released_count;
  const bool is_first = used_attempts(run) == 0;
  run.state = is_first ? RunState::queued : RunState::retrying;
  run.claimable_from = now;
  if (is_first && rules.start_deadline) run.expires_at = run.queued_at + *rules.start_deadline;
  return run;
}

Run end(Run run, RunState state, Instant now) {
  run.state = state;
  run.ended_at = now;
  return run;
}

Result<void> expect_attempt(const Run& run, std::int64_t attempt) {
  if (run.state != RunState::running)
    return fail(ErrorCode::conflict, "the run is {}, not running", to_text(run.state));
  if (run.attempt != attempt)
    return fail(ErrorCode::conflict, "attempt {} is not the newest, which is {}", attempt, run.attempt);
  return {};
}

}  // namespace

Run queued_run(const RunRules& rules, Instant now) {
  Run run{.queued_at = now, .claimable_from = now};
  if (rules.start_deadline) run.expires_at = now + *rules.start_deadline;
  return run;
}

Result<Run> claim(Run run, Instant now) {
  if (!is_claimable(run.state))
    return fail(ErrorCode::conflict, "the run is {} and cannot be claimed", to_text(run.state));
  if (now < run.claimable_from)
    return fail(ErrorCode::conflict, "the run may not be claimed before {}", to_text(run.claimable_from));
  // A first attempt that comes too late must not happen just because nobody has noticed yet.
  if (run.expires_at && now > *run.expires_at)
    return fail(ErrorCode::conflict, "the run has expired at {}", to_text(*run.expires_at));
  run.state = RunState::running;
  ++run.attempt;
  run.attempt_state = AttemptState::claimed;
  run.expires_at.reset();
  return run;
}

Result<Run> launch(Run run, std::int64_t attempt, Instant now) {
  TRY(expect_attempt(run, attempt));
  if (run.attempt_state != AttemptState::claimed)
    return fail(ErrorCode::conflict, "attempt {} has been launched already", attempt);
  run.attempt_state = AttemptState::launched;
  if (!run.started_at) run.started_at = now;
  return run;
}

Result<Run> finish(Run run, std::int64_t attempt, AttemptOutcome outcome, const RunRules& rules, Instant now,
                   std::uint64_t seed, std::optional<Duration> retry_after) {
  TRY(expect_attempt(run, attempt));
  if (outcome == AttemptOutcome::released && run.attempt_state != AttemptState::claimed)
    return fail(ErrorCode::conflict, "attempt {} has been launched and cannot be given back", attempt);
  run.attempt_state = attempt_state_of(outcome);
  const bool is_again = is_tried_again(run, outcome, rules);
  run.lost_count = lost_count_after(run, outcome);
  if (!is_again) {
    const bool is_stopped = run.stop != Stop::none && outcome != AttemptOutcome::succeeded;
    run.is_parked = !is_stopped && outcome == AttemptOutcome::lost && run.lost_count >= rules.lost_max;
    return end(run, is_stopped ? RunState::cancelled : run_state_of(outcome), now);
  }
  if (outcome == AttemptOutcome::released) return give_back(run, rules, now);
  // A damaged row may say that more attempts were given back than there were.
  const Duration delay = retry_delay(rules.retry, std::max<std::int64_t>(used_attempts(run), 1), seed);
  run.state = RunState::retrying;
  run.claimable_from = now + std::max(delay, retry_after.value_or(Duration{0}));
  return run;
}

bool is_tried_again(const Run& run, AttemptOutcome outcome, const RunRules& rules) {
  if (run.stop != Stop::none || !run.may_retry || !is_worth_a_retry(outcome, rules)) return false;
  if (outcome == AttemptOutcome::lost && lost_count_after(run, outcome) >= rules.lost_max) return false;
  return outcome == AttemptOutcome::released || used_attempts(run) < rules.retry.attempt_count_max;
}

Result<Run> cancel(Run run, Stop how, Instant now) {
  if (is_terminal(run.state)) return fail(ErrorCode::conflict, "the run is {} already", to_text(run.state));
  run.stop = std::max(run.stop, how);
  return run.state == RunState::running ? run : end(run, RunState::cancelled, now);
}

Result<Run> expire(Run run, Instant now) {
  if (run.state != RunState::queued || !run.expires_at || now <= *run.expires_at) {
    return fail(ErrorCode::conflict, "the run has not expired");
  }
  return end(run, RunState::expired, now);
}

}  // namespace carillon
