#include "simulation/invariants/evidence.hpp"
#include "support/sort_by.hpp"

#include <algorithm>

// I11: no more automatic starts than maxStarts allows, counted from when it was set or from the last reset.

namespace carillon::simulation {
namespace {

/// A definition, from one write of the store on; what is decided in that write is still the old one's.
struct LimitPhase {
  std::int64_t step = 0;
  std::optional<std::int64_t> limit{};
  bool begins_count = false;
};

std::vector<LimitPhase> limit_phases(const Life& life) {
  std::vector<LimitPhase> phases;
  for (const ChangeStory& change : life.changes) {
    const auto brought = life.revisions.find(change.line.revision);
    const bool is_reset = change.line.kind == ChangeKind::reset;
    if (brought == life.revisions.end() && !is_reset) continue;
    LimitPhase phase{.step = change.moment.step, .begins_count = is_reset};
    const auto before = phases.empty() ? std::nullopt : phases.back().limit;
    phase.limit = brought == life.revisions.end() ? before : brought->second.document.policies.starts_max;
    phase.begins_count |= phases.empty() || phase.limit.has_value() != before.has_value();
    phases.push_back(phase);
  }
  return phases;
}

/// When it was started first; none if it is no start, or was cancelled while it waited.
std::optional<std::int64_t> start_step(const DecisionStory& decision) {
  if (!is_automatic(decision) || decision.line.outcome != DecisionOutcome::started) return std::nullopt;
  for (const Phase& phase : decision.phases)
    if (phase.outcome == DecisionOutcome::started && !decision.is_cancelled_wait(phase)) return phase.moment.step;
  return std::nullopt;
}

struct CountedStart {
  std::int64_t step = 0;
  const DecisionStory* decision = nullptr;
};

std::vector<CountedStart> counted_starts(const Evidence& evidence, const Life& life) {
  std::vector<CountedStart> starts;
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    if (const auto step = start_step(decision)) starts.push_back({*step, &decision});
  }
  testing::sort_by(starts, [](const CountedStart& start) { return start.step; });
  return starts;
}

void check_life_limits(const Evidence& evidence, const Life& life, Findings& findings) {
  const auto phases = limit_phases(life);
  std::int64_t count = 0;
  auto phase = phases.begin();
  std::optional<std::int64_t> limit;
  for (const CountedStart& start : counted_starts(evidence, life)) {
    for (; phase != phases.end() && phase->step < start.step; ++phase) {
      limit = phase->limit;
      if (phase->begins_count) count = 0;
    }
    ++count;
    if (!limit) continue;
    findings.fact("I11");
    if (count > *limit)
      findings.violation("I11", life.schedule, "{} is start {} of {}", to_text(start.decision->line.nominal), count,
                         *limit);
  }
}

}  // namespace

void check_start_limits(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) check_life_limits(evidence, life, findings);
}

}  // namespace carillon::simulation
