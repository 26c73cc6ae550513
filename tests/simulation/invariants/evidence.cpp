#include "simulation/invariants/evidence.hpp"

#include "engine/step.hpp"

#include <algorithm>
#include <iterator>

namespace carillon::simulation {
namespace {

std::vector<StepSpan> spans_of(const DecisionStory& decision, DecisionOutcome outcome) {
  std::vector<StepSpan> spans;
  for (std::size_t i = 0; i < decision.phases.size(); ++i) {
    if (decision.phases[i].outcome != outcome) continue;
    StepSpan span{.from = decision.phases[i].moment.step};
    if (i + 1 < decision.phases.size()) span.to = decision.phases[i + 1].moment.step;
    if (decision.ended) span.to = std::min(span.to, decision.ended->step);
    // A wait that is cancelled starts and ends in one transaction.
    if (span.from < span.to) spans.push_back(span);
  }
  return spans;
}

}  // namespace

bool Evidence::has_zone_change() const {
  return std::ranges::any_of(plan.faults, [](const Fault& fault) { return fault.kind == FaultKind::zone_change; });
}

std::vector<StepSpan> open_spans(const DecisionStory& decision) { return spans_of(decision, DecisionOutcome::started); }

std::vector<StepSpan> waiting_spans(const DecisionStory& decision) {
  return spans_of(decision, DecisionOutcome::waiting);
}

const Life* predecessor(const Evidence& evidence, const Life& life) {
  const auto self = evidence.story.lives.find({life.schedule, life.incarnation});
  if (self == evidence.story.lives.begin()) return nullptr;
  const Life& previous = std::prev(self)->second;
  const ChangeStory* const deletion = previous.deletion();
  if (previous.schedule != life.schedule || deletion == nullptr || life.changes.empty()) return nullptr;
  return life.changes.front().line.head.at - deletion->line.head.at <= tombstone_memory ? &previous : nullptr;
}

void check_all(const Evidence& evidence, Findings& findings) {
  check_completeness(evidence, findings);
  check_launches(evidence, findings);
  check_user_commands(evidence, findings);
  check_overlap(evidence, findings);
  check_waiting(evidence, findings);
  check_pauses(evidence, findings);
  check_catching_up(evidence, findings);
  check_start_limits(evidence, findings);
  check_reasons(evidence, findings);
  check_backfills(evidence, findings);
  check_attempts(evidence, findings);
  check_counters(evidence, findings);
}

}  // namespace carillon::simulation
