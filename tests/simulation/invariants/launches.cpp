#include "base/clock_step.hpp"
#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <map>

// I3: an attempt is launched at most once. I4: only after it was claimed, by who claimed it. I6: not once it was given
// up, and whoever is given up is silent by then.

namespace carillon::simulation {
namespace {

const AttemptStory* attempt_of(const Evidence& evidence, const Launch& launch) {
  const DecisionStory* const decision = evidence.story.decision(launch.run);
  if (decision == nullptr) return nullptr;
  for (const std::size_t index : decision->attempts)
    if (evidence.story.attempts[index].line.attempt == launch.attempt) return &evidence.story.attempts[index];
  return nullptr;
}

void check_launch(const Evidence& evidence, const Launch& launch, Findings& findings) {
  const AttemptStory* const attempt = attempt_of(evidence, launch);
  const DecisionStory* const decision = evidence.story.decision(launch.run);
  const std::string schedule = decision == nullptr ? "?" : decision->line.head.schedule.text();
  findings.fact("I4");
  if (attempt == nullptr || attempt->claimed.time > launch.begin) {
    findings.violation("I4", schedule, "attempt {} was launched by {}, but nobody claimed it", launch.attempt,
                       launch.worker);
    return;
  }
  if (attempt->line.worker != launch.worker)
    findings.violation("I4", schedule, "attempt {} was launched by {}, but claimed by {}", launch.attempt,
                       launch.worker, attempt->line.worker);
  findings.fact("I6");
  if (!attempt->ended) return;
  // Leases go by the pace of time, also when the store's clock is set; what is less than a step is not noticed.
  const bool is_steady = evidence.world.is_steady(launch.begin - std::chrono::minutes{5}, attempt->ended->time);
  const Instant given_up = attempt->ended->time + (is_steady ? Duration{0} : clock_step_min);
  if (launch.begin > given_up)
    findings.violation("I6", schedule, "attempt {} was launched after it had ended as {}", launch.attempt,
                       to_text(attempt->line.state));
  if (attempt->line.state == AttemptState::lost && (!launch.end || *launch.end > given_up))
    findings.violation("I6", schedule, "attempt {} was alive after it was given up", launch.attempt);
}

void check_recorded(const Evidence& evidence, const std::map<std::pair<Seq, std::int64_t>, int>& launches,
                    Findings& findings) {
  for (const AttemptStory& attempt : evidence.story.attempts) {
    if (!attempt.line.launched_at) continue;
    const DecisionStory& decision = evidence.story.decisions[attempt.decision];
    findings.fact("I3");
    if (!launches.contains({decision.line.head.seq, attempt.line.attempt}))
      findings.violation("I3", decision.line.head.schedule.text(), "attempt {} of {} says launched, but nobody saw it",
                         attempt.line.attempt, attempt.line.run);
  }
}

}  // namespace

void check_launches(const Evidence& evidence, Findings& findings) {
  std::map<std::pair<Seq, std::int64_t>, int> launches;
  for (const Launch& launch : evidence.records.witness) {
    findings.fact("I3");
    const DecisionStory* const decision = evidence.story.decision(launch.run);
    if (++launches[{launch.run, launch.attempt}] > 1)
      findings.violation("I3", decision == nullptr ? "?" : decision->line.head.schedule.text(),
                         "attempt {} of line {} was launched twice", launch.attempt,
                         static_cast<std::int64_t>(launch.run));
    check_launch(evidence, launch, findings);
  }
  check_recorded(evidence, launches, findings);
}

}  // namespace carillon::simulation
