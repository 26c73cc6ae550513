#include "simulation/invariants/evidence.hpp"
#include "support/sort_by.hpp"

#include <algorithm>
#include <chrono>
#include <map>

// I9: one automatic run of a schedule at a time, unless its policy allows more; and never two attempts of one run.

namespace carillon::simulation {
namespace {

// The policy under which a run was started.
OverlapPolicy policy_of(const Life& life, const Phase& started) {
  const Revision* const revision = life.definition(started.revision);
  return revision == nullptr ? OverlapPolicy::allow_all : revision->document.policies.overlap;
}

struct Start {
  const DecisionStory* decision;
  StepSpan span;
  bool is_exclusive;
};

// A backfilled run that came through the schedule's slot is one of those that share it.
bool takes_slot_for_backfill(const Evidence& evidence, const Life& life, const DecisionStory& decision) {
  if (decision.line.source != Source::backfill) return false;
  return std::ranges::any_of(evidence.records.history, [&](const HistoryEntry& entry) {
    return entry.backfill && entry.id == decision.detail && entry.call.schedule == life.schedule &&
           entry.backfill->overlap && *entry.backfill->overlap != OverlapPolicy::allow_all;
  });
}

std::vector<Start> starts_of(const Evidence& evidence, const Life& life) {
  std::vector<Start> starts;
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    if (takes_slot_for_backfill(evidence, life, decision))
      for (const StepSpan& span : open_spans(decision)) starts.push_back({&decision, span, true});
    if (!is_automatic(decision)) continue;
    for (const StepSpan& span : open_spans(decision)) {
      const auto phase = std::ranges::find(decision.phases, span.from, [](const Phase& p) { return p.moment.step; });
      starts.push_back({&decision, span, policy_of(life, *phase) != OverlapPolicy::allow_all});
    }
  }
  testing::sort_by(starts, [](const Start& start) { return start.span.from; });
  return starts;
}

void check_recorded(const Evidence& evidence, const Life& life, Findings& findings) {
  const Start* longest = nullptr;
  const auto starts = starts_of(evidence, life);
  for (const Start& start : starts) {
    findings.fact("I9");
    if (longest != nullptr && start.is_exclusive && start.span.from < longest->span.to)
      findings.violation("I9", life.schedule, "{} started while the run of {} was open",
                         to_text(start.decision->line.nominal), to_text(longest->decision->line.nominal));
    if (longest == nullptr || start.span.to > longest->span.to) longest = &start;
  }
}

struct Alive {
  const Launch* launch;
  const DecisionStory* decision;
  bool is_exclusive;
};

// A lease that the store's clock cut short leaves its worker alive for a while: only numbers protect then, not times.
bool is_judged(const Evidence& evidence, const Launch& earlier, const Launch& later) {
  return evidence.world.is_steady(earlier.begin - std::chrono::minutes{5}, later.begin);
}

// Launched in whatever order: the one that was decided to start while the other was open is at fault.
bool has_overtaken(const Alive& earlier, const Alive& later) {
  const bool is_in_order = earlier.decision->last().moment.step < later.decision->last().moment.step;
  return is_in_order ? later.is_exclusive : earlier.is_exclusive;
}

void check_pair(const Evidence& evidence, const Life& life, const Alive& earlier, const Alive& later,
                Findings& findings) {
  const Instant end = earlier.launch->end.value_or(instant_max);
  findings.fact("I9");
  if (end <= later.launch->begin || !is_judged(evidence, *earlier.launch, *later.launch)) return;
  if (earlier.decision == later.decision) {
    findings.violation("I9", life.schedule, "attempts {} and {} of {} were alive together", earlier.launch->attempt,
                       later.launch->attempt, to_text(later.decision->line.nominal));
  } else if (is_automatic(*earlier.decision) && is_automatic(*later.decision) && has_overtaken(earlier, later)) {
    findings.violation("I9", life.schedule, "{} ran while {} was alive", to_text(later.decision->line.nominal),
                       to_text(earlier.decision->line.nominal));
  }
}

void check_witnessed(const Evidence& evidence, const Life& life, const std::vector<Alive>& alive, Findings& findings) {
  std::map<const DecisionStory*, const Alive*> last_of_run;
  const Alive* longest = nullptr;
  for (const Alive& one : alive) {
    const Alive*& mine = last_of_run[one.decision];
    if (mine != nullptr) check_pair(evidence, life, *mine, one, findings);
    mine = &one;
    if (!is_automatic(*one.decision)) continue;
    if (longest != nullptr && longest->decision != one.decision) check_pair(evidence, life, *longest, one, findings);
    const auto end_of = [](const Alive& other) { return other.launch->end.value_or(instant_max); };
    if (longest == nullptr || end_of(one) > end_of(*longest)) longest = &one;
  }
}

}  // namespace

void check_overlap(const Evidence& evidence, Findings& findings) {
  std::map<const Life*, std::vector<Alive>> alive;
  for (const Launch& launch : evidence.records.witness) {
    const DecisionStory* const decision = evidence.story.decision(launch.run);
    if (decision == nullptr) continue;
    const Life& life = evidence.story.life_of(*decision);
    const bool is_exclusive = is_automatic(*decision) && policy_of(life, decision->last()) != OverlapPolicy::allow_all;
    alive[&life].push_back({&launch, decision, is_exclusive});
  }
  for (const auto& [key, life] : evidence.story.lives) {
    check_recorded(evidence, life, findings);
    check_witnessed(evidence, life, alive[&life], findings);
  }
}

}  // namespace carillon::simulation
