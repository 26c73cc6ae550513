#include "base/duration_text.hpp"
#include "engine/retry_delay.hpp"
#include "simulation/invariants/evidence.hpp"

#include <algorithm>

// I13: attempts follow one another, after their back-off and as often as allowed; none after success, cancellation,
// deletion or a loss that may not be repeated. A run that waited too long for its first one has none.

namespace carillon::simulation {
namespace {

void check_pair(const Evidence& evidence, const Life& life, const Revision& revision, const AttemptStory& earlier,
                const AttemptStory& later, std::int64_t released_count, Findings& findings) {
  const auto broken = [&](std::string_view what) {
    findings.violation("I13", life.schedule, "attempt {} of {} {}", later.line.attempt, later.line.run, what);
  };
  findings.fact("I13");
  if (later.line.attempt != earlier.line.attempt + 1) broken("is out of turn");
  if (!earlier.ended || earlier.ended->step >= later.claimed.step)
    return broken("was claimed before the one before it had ended");
  const AttemptState state = earlier.line.state;
  if (state == AttemptState::succeeded || state == AttemptState::cancelled) broken("follows success or cancellation");
  const Policies& policies = revision.document.policies;
  if (state == AttemptState::lost && !retries_when_lost(policies, revision.document.action))
    broken("repeats what may not be repeated");
  // One that was given back has no back-off to keep.
  if (state == AttemptState::released) return;
  if (!evidence.world.is_steady(earlier.ended->time, later.claimed.time)) return;
  Policies::Retry least = policies.retry;
  least.jitter = 0;
  const Duration delay = retry_delay(least, earlier.line.attempt - released_count, 0);
  if (later.line.claimed_at - earlier.line.ended_at.value_or(later.line.claimed_at) < delay)
    broken(fmt::format("came before its back-off of {}", to_text(delay)));
}

void check_deletion(const Life& life, const DecisionStory& decision, const AttemptStory& attempt, Findings& findings) {
  const ChangeStory* const deletion = life.deletion();
  if (deletion == nullptr) return;
  findings.fact("I13");
  // A run that was given back may still be claimed; its worker finds the schedule deleted, and launches nothing.
  if (attempt.claimed.step > deletion->moment.step && attempt.line.launched_at)
    findings.violation("I13", life.schedule, "attempt {} of {} began after the schedule was deleted",
                       attempt.line.attempt, to_text(decision.line.nominal));
}

void check_deadline(const Evidence& evidence, const Life& life, const Revision& revision, const DecisionStory& decision,
                    const AttemptStory& first, Findings& findings) {
  const auto deadline = start_deadline_of(revision.document.policies, revision.document.action);
  const Moment& queued = decision.last().moment;
  if (!deadline || !evidence.world.is_steady(queued.time, first.claimed.time)) return;
  findings.fact("I13");
  if (first.line.claimed_at - queued.store > *deadline)
    findings.violation("I13", life.schedule, "{} was claimed after it had expired", to_text(decision.line.nominal));
}

void check_early(const Evidence& evidence, const Life& life, const DecisionStory& decision, const AttemptStory& attempt,
                 Findings& findings) {
  findings.fact("I16");
  if (is_automatic(decision) && attempt.line.claimed_at < decision.line.due &&
      !evidence.world.went_back(decision.first().moment.time - std::chrono::minutes{10}, attempt.claimed.time))
    findings.violation("I16", life.schedule, "{} was claimed before it was due", to_text(decision.line.nominal));
}

void check_run(const Evidence& evidence, const Life& life, const DecisionStory& decision, Findings& findings) {
  const Revision* const revision = life.definition(decision.line.revision);
  if (revision == nullptr || decision.attempts.empty()) return;
  const auto attempt = [&](std::size_t i) -> const AttemptStory& {
    return evidence.story.attempts[decision.attempts[i]];
  };
  if (attempt(0).line.attempt != 1)
    findings.violation("I13", life.schedule, "{} begins with attempt {}", to_text(decision.line.nominal),
                       attempt(0).line.attempt);
  check_deadline(evidence, life, *revision, decision, attempt(0), findings);
  std::int64_t released_count = 0;  // those cost no attempt
  for (std::size_t i = 0; i < decision.attempts.size(); ++i) {
    check_deletion(life, decision, attempt(i), findings);
    check_early(evidence, life, decision, attempt(i), findings);
    if (i > 0) check_pair(evidence, life, *revision, attempt(i - 1), attempt(i), released_count, findings);
    if (attempt(i).line.state == AttemptState::released) ++released_count;
  }
  const auto is_used = [&](std::size_t index) {
    return evidence.story.attempts[index].line.state != AttemptState::released;
  };
  if (std::ranges::count_if(decision.attempts, is_used) > revision->document.policies.retry.attempt_count_max)
    findings.violation("I13", life.schedule, "{} had {} attempts", to_text(decision.line.nominal),
                       decision.attempts.size());
  // A run ends with its last attempt, and not before.
  const AttemptStory& last = attempt(decision.attempts.size() - 1);
  if (decision.ended && (!last.ended || last.ended->step > decision.ended->step))
    findings.violation("I13", life.schedule, "{} ended before its last attempt", to_text(decision.line.nominal));
}

}  // namespace

void check_attempts(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives)
    for (const std::size_t index : life.decisions) check_run(evidence, life, evidence.story.decisions[index], findings);
}

}  // namespace carillon::simulation
