#include "base/duration_text.hpp"
#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <map>

// I11: what is late is caught up as the policy says: within its window, the latest or all of them, no more than
// allowed.

namespace carillon::simulation {
namespace {

bool is_admitted(const Phase& phase) { return phase.outcome != DecisionOutcome::skipped; }

void check_window(const Life& life, const DecisionStory& decision, const Phase& phase, Findings& findings) {
  if (phase.outcome != DecisionOutcome::started || decision.is_cancelled_wait(phase)) return;
  const Revision* const revision = life.definition(phase.revision);
  if (revision == nullptr) return;
  const auto window = window_of(revision->document.policies.catchup);
  if (!window) return;
  findings.fact("I11");
  if (phase.at - decision.line.due > *window)
    findings.violation("I11", life.schedule, "{} started {} after it was due, the window is {}",
                       to_text(decision.line.nominal), to_text(phase.at - decision.line.due), to_text(*window));
}

// The newest that is late: the one after it is not.
bool is_newest_late(const Revision& revision, Instant nominal, Instant late_before) {
  return std::ranges::any_of(revision.timetables, [&](const Timetable& timetable) {
    const auto next = timetable.next(nominal);
    return !next || *next + timetable.jitter(*next, revision.seed) >= late_before;
  });
}

void check_first(const Life& life, const DecisionStory& decision, Findings& findings) {
  const Phase& first = decision.first();
  const Revision* const revision = life.definition(first.revision);
  if (revision == nullptr) return;
  const Policies::Catchup& catchup = revision->document.policies.catchup;
  const bool is_late = first.at - decision.line.due > grace_of(catchup);
  findings.fact("I11");
  if (!is_admitted(first)) return;
  if (is_late != (decision.line.source == Source::catchup))
    findings.violation("I11", life.schedule, "{} is {} late, but its source is {}", to_text(decision.line.nominal),
                       is_late ? "too" : "not", to_text(decision.line.source));
  if (!is_late) return;
  if (catchup.policy == CatchupPolicy::none)
    findings.violation("I11", life.schedule, "{} is caught up, though the policy is none",
                       to_text(decision.line.nominal));
  if (catchup.policy == CatchupPolicy::latest &&
      !is_newest_late(*revision, decision.line.nominal, first.at - grace_of(catchup)))
    findings.violation("I11", life.schedule, "{} is caught up, though a later one was missed too",
                       to_text(decision.line.nominal));
}

// When the definition came into force that decided it, as far as users brought it about; a schedule that was taken up
// again makes up for the time since its deletion.
Instant own_since(const Evidence& evidence, const Life& life, const Phase& first) {
  Instant since = instant_min;
  for (const ChangeStory& change : life.changes) {
    if (change.moment.step >= first.moment.step) continue;
    const ChangeKind kind = change.line.kind;
    const bool begins = kind == ChangeKind::created && predecessor(evidence, life) == nullptr;
    if (begins || kind == ChangeKind::updated || kind == ChangeKind::enabled) since = change.decided_at;
  }
  return since;
}

// A clock that was back for a moment does not make a schedule's own what came due before it was there.
void check_own(const Evidence& evidence, const Life& life, const DecisionStory& decision, Findings& findings) {
  const Phase& first = decision.first();
  const Duration lateness = first.decided_at.value_or(first.at) - decision.line.due;
  if (!is_admitted(first) || lateness <= catchup_lateness_min) return;
  findings.fact("I19");
  const Instant since = own_since(evidence, life, first);
  if (decision.line.due <= since)
    findings.violation("I19", life.schedule, "{} is made up for, though its definition is in force since {} only",
                       to_text(decision.line.nominal), to_text(since));
}

// How many of one gap, which is one step of the store, were let through to the overlap policy.
void check_quota(const Evidence& evidence, const Life& life, Findings& findings) {
  std::map<std::int64_t, std::int64_t> caught_up;
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    const Phase& first = decision.first();
    if (decision.line.source != Source::catchup || !is_admitted(first)) continue;
    const Revision* const revision = life.definition(first.revision);
    if (revision == nullptr) continue;
    findings.fact("I11");
    if (++caught_up[first.moment.step] > revision->document.policies.catchup.run_count_max)
      findings.violation("I11", life.schedule, "{} is one more than may be caught up", to_text(decision.line.nominal));
  }
}

}  // namespace

void check_catching_up(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) {
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      if (!is_automatic(decision)) continue;
      check_first(life, decision, findings);
      check_own(evidence, life, decision, findings);
      for (const Phase& phase : decision.phases) check_window(life, decision, phase, findings);
    }
    check_quota(evidence, life, findings);
  }
}

}  // namespace carillon::simulation
