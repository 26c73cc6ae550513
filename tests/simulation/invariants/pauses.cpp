#include "simulation/invariants/evidence.hpp"

#include <algorithm>

// I10: between pause and resume nothing automatic is started or claimed for the first time, and what came due says so.

namespace carillon::simulation {
namespace {

// An edit decides under the old definition what was due before it; the new one may find that enough has run.
bool is_ended_by_edit(const Life& life, std::int64_t step) {
  return life.status_at(step) == ScheduleStatus::done && life.status_at(step - 1) == ScheduleStatus::active &&
         std::ranges::any_of(life.changes, [&](const ChangeStory& change) {
           return change.moment.step == step && change.line.kind == ChangeKind::updated;
         });
}

void check_starts(const Life& life, const DecisionStory& decision, Findings& findings) {
  for (const Phase& phase : decision.phases) {
    if (phase.outcome != DecisionOutcome::started) continue;
    if (decision.is_cancelled_wait(phase) || is_ended_by_edit(life, phase.moment.step)) continue;
    findings.fact("I10");
    // A pause decides what was due before it in its own transaction, and then takes it back.
    const ScheduleStatus status = life.status_at(phase.moment.step);
    if (status != ScheduleStatus::active || life.is_resting_at(phase.moment.step))
      findings.violation("I10", life.schedule, "{} started while the schedule was {}", to_text(decision.line.nominal),
                         status == ScheduleStatus::active ? "paused or disabled" : to_text(status));
  }
}

void check_first_claim(const Evidence& evidence, const Life& life, const DecisionStory& decision, Findings& findings) {
  if (decision.attempts.empty()) return;
  const AttemptStory& first = evidence.story.attempts[decision.attempts.front()];
  findings.fact("I10");
  if (life.is_resting_at(first.claimed.step))
    findings.violation("I10", life.schedule, "{} was claimed while the schedule was paused or disabled",
                       to_text(decision.line.nominal));
}

/// A pause, in store time, that passes over what it misses.
struct Pause {
  Instant from;
  Instant to;
  Moment begin;
  Moment end;
};

std::optional<Instant> until_of(const Evidence& evidence, const ChangeLine& line) {
  const auto entry = std::ranges::find(evidence.records.history, line.by, &HistoryEntry::by);
  return entry == evidence.records.history.end() ? std::nullopt : entry->pause_until;
}

bool passes_over(const Life& life, const ChangeStory& paused) {
  const Revision* const revision = life.definition(paused.line.revision);
  return revision != nullptr && revision->document.policies.pause.missed == PauseMissed::skip;
}

// Pauses of which it is certain from when to when they were, and that nothing else happened in them.
std::vector<Pause> sure_pauses(const Evidence& evidence, const Life& life) {
  std::vector<Pause> pauses;
  for (std::size_t i = 0; i + 1 < life.changes.size(); ++i) {
    const ChangeStory& paused = life.changes[i];
    const ChangeStory& resumed = life.changes[i + 1];
    if (paused.line.kind != ChangeKind::paused || resumed.line.kind != ChangeKind::resumed) continue;
    if (!passes_over(life, paused) || !evidence.world.is_steady(paused.moment.time, resumed.moment.time)) continue;
    if (paused.line.by == "carillon" && i > 0 && life.changes[i - 1].line.kind == ChangeKind::created) continue;
    const Instant end = resumed.line.head.at;
    pauses.push_back({.from = paused.line.head.at,
                      .to = std::min(end, until_of(evidence, paused.line).value_or(end)),
                      .begin = paused.moment,
                      .end = resumed.moment});
  }
  return pauses;
}

bool explains_pause(SkipReason reason) {
  return reason == SkipReason::paused || reason == SkipReason::deleted || reason == SkipReason::exhausted ||
         reason == SkipReason::clock;
}

// The times of a pause may come before and after it, if the clock is set back.
bool is_another_time(const World& world, const Pause& pause, const Moment& decided) {
  if (decided.step < pause.begin.step) return world.went_back(decided.time, pause.begin.time);
  return decided.step > pause.end.step && world.went_back(pause.end.time, decided.time);
}

void check_due_inside(const World& world, const Pause& pause, const Life& life, const DecisionStory& decision,
                      Findings& findings) {
  if (decision.line.due <= pause.from || decision.line.due > pause.to) return;
  if (is_another_time(world, pause, decision.first().moment)) return;
  findings.fact("I10");
  if (decision.line.outcome != DecisionOutcome::skipped || !explains_pause(*decision.line.reason))
    findings.violation("I10", life.schedule, "{} was due in a pause, but {}{}", to_text(decision.line.nominal),
                       to_text(decision.line.outcome),
                       decision.line.reason ? fmt::format("({})", to_text(*decision.line.reason)) : "");
}

}  // namespace

void check_pauses(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) {
    const auto pauses = sure_pauses(evidence, life);
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      if (!is_automatic(decision)) continue;
      check_starts(life, decision, findings);
      check_first_claim(evidence, life, decision, findings);
      for (const Pause& pause : pauses) check_due_inside(evidence.world, pause, life, decision, findings);
    }
  }
}

}  // namespace carillon::simulation
