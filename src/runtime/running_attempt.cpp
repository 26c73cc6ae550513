#include "runtime/running_attempt.hpp"

#include "base/duration_text.hpp"
#include "scheduling/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace carillon {
namespace {

using State = RunningAttempt::State;

void set_end(RunningAttempt& attempt, AttemptEnd end, Instant store_now) {
  const bool is_launched = attempt.launched_at || attempt.is_launch_told;
  attempt.state = State::ended;
  attempt.end = std::move(end);
  attempt.end->outcome = outcome_of(*attempt.end, attempt.cause, is_launched);
  attempt.end->launched_at = attempt.launched_at;
  attempt.end->known_as = attempt.known_as;
  // Two readings of the store's clock may differ by as long as an answer takes.
  attempt.end->ended_at = std::max(store_now, attempt.launched_at.value_or(instant_min));
}

}  // namespace

AttemptKey key_of(const RunningAttempt& attempt) { return {attempt.claimed.row.seq, attempt.claimed.row.run.attempt}; }

ActionKind kind_of(const RunningAttempt& attempt) { return action_kind_of(attempt.definition->action); }

bool may_outlive_server(const RunningAttempt& attempt) {
  const auto* command = attempt.definition ? std::get_if<CommandAction>(&attempt.definition->action) : nullptr;
  return command != nullptr && command->on_owner_loss == OnOwnerLoss::adopt;
}

bool goes_on_elsewhere(const RunningAttempt& attempt) {
  return attempt.definition && std::holds_alternative<WorkflowAction>(attempt.definition->action);
}

std::optional<StopOrder> ask_to_stop(RunningAttempt& attempt, Stop how, StopCause cause, Duration now) {
  if (attempt.state == State::ended || how <= attempt.stop) return std::nullopt;
  attempt.stop = how;
  // The first cause is the one that counts.
  if (attempt.cause == StopCause::none) attempt.cause = cause;
  if (attempt.state == State::claimed) return std::nullopt;
  if (how == Stop::cancel) attempt.kill_at = now + attempt.definition->policies.grace;
  if (how == Stop::terminate) attempt.kill_at.reset();
  return StopOrder{.key = key_of(attempt), .kind = kind_of(attempt), .how = how};
}

void end_attempt(RunningAttempt& attempt, AttemptEnd end, Instant store_now) {
  attempt.timeout_at.reset();
  attempt.kill_at.reset();
  if (attempt.cause == StopCause::timeout && end.error.empty())
    end.error = fmt::format("took longer than {}", to_text(*attempt.definition->policies.timeout));
  if (attempt.cause == StopCause::shutdown && end.error.empty()) end.error = "the server was stopped";
  set_end(attempt, std::move(end), store_now);
}

void end_unlaunched(RunningAttempt& attempt, const std::string& error, Instant store_now) {
  set_end(attempt, {.outcome = AttemptOutcome::failed, .error = error}, store_now);
}

void postpone(RunningAttempt& attempt, const AttemptEnd& end, Duration now) {
  attempt.is_postponed = true;
  attempt.state = State::claimed;
  attempt.timeout_at.reset();
  attempt.not_before = now + end.retry_after.value_or(Duration{0});
}

RunningAttempt adopted_attempt(ClaimedRun run, const DetachedAttempt& detached, Instant store_now) {
  const Run& state = run.row.run;
  const bool is_launch_told = state.attempt_state != AttemptState::claimed;
  std::optional<Instant> launched_at = std::min(detached.launched_at, store_now);
  // The store knows better when it began, and says so of the first attempt.
  if (is_launch_told) launched_at = state.attempt == 1 ? state.started_at : std::nullopt;
  return {
      .claimed = std::move(run), .launched_at = launched_at, .is_launch_told = is_launch_told, .detached = detached};
}

RunningAttempt followed_attempt(ClaimedRun run) {
  const Run& state = run.row.run;
  const bool is_launch_told = state.attempt_state != AttemptState::claimed;
  const auto launched_at = is_launch_told && state.attempt == 1 ? state.started_at : std::nullopt;
  const DetachedAttempt detached{.key = {run.row.seq, state.attempt}, .launched_at = launched_at.value_or(Instant{})};
  return {
      .claimed = std::move(run), .launched_at = launched_at, .is_launch_told = is_launch_told, .detached = detached};
}

std::optional<StopOrder> resume_attempt(RunningAttempt& attempt, Duration now, Instant store_now) {
  const DetachedAttempt detached = *std::exchange(attempt.detached, std::nullopt);
  attempt.state = State::launching;
  // Somebody may have wanted it to end while nobody could tell it.
  const StopCause stop_cause = attempt.stop != Stop::none ? attempt.cause : StopCause::request;
  const Stop stop_asked = std::max(std::exchange(attempt.stop, Stop::none), attempt.claimed.row.run.stop);
  attempt.cause = StopCause::none;
  switch (detached.stopped) {
    case StopCause::none: attempt.timeout_at = detached.timeout_at; break;
    case StopCause::timeout: attempt.cause = StopCause::timeout; break;
    // By its user, or by a server that was being stopped when it died.
    default: attempt.cause = stop_asked == Stop::none ? StopCause::shutdown : stop_cause; break;
  }
  if (detached.stopped != StopCause::none) {
    attempt.stop = Stop::cancel;
    attempt.kill_at = now + attempt.definition->policies.grace;
  }
  // Nobody has watched its time meanwhile.
  if (const auto timeout = attempt.definition->policies.timeout; goes_on_elsewhere(attempt) && timeout)
    attempt.timeout_at = now + std::max(*timeout - (store_now - attempt.launched_at.value_or(store_now)), Duration{0});
  return ask_to_stop(attempt, stop_asked, stop_cause, now);
}

AttemptNews news_of(const RunningAttempt& attempt) {
  Run run = attempt.claimed.row.run;
  if (attempt.cause == StopCause::request) run.stop = std::max(run.stop, attempt.stop);
  return {.envelope = envelope_of(attempt.claimed, *attempt.definition, attempt.run_id),
          .end = *attempt.end,
          .will_retry = is_tried_again(run, attempt.end->outcome, attempt.definition->rules)};
}

}  // namespace carillon
