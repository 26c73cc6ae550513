#include "engine/step.hpp"
#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <map>
#include <set>

// I7: what a client was told has happened is in the ledger, once; what it was told has failed is not. A deleted
// schedule decides nothing more.

namespace carillon::simulation {
namespace {

using Answer = HistoryEntry::Answer;

std::optional<ChangeKind> kind_of(CallKind kind) {
  switch (kind) {
    case CallKind::create: return ChangeKind::created;
    case CallKind::edit: return ChangeKind::updated;
    case CallKind::pause: return ChangeKind::paused;
    case CallKind::resume: return ChangeKind::resumed;
    case CallKind::enable: return ChangeKind::enabled;
    case CallKind::disable: return ChangeKind::disabled;
    case CallKind::reset: return ChangeKind::reset;
    case CallKind::remove: return ChangeKind::deleted;
    default: return std::nullopt;
  }
}

// A command for what is already so may be granted without a change.
bool may_change_nothing(CallKind kind) {
  return kind == CallKind::edit || kind == CallKind::enable || kind == CallKind::disable || kind == CallKind::reset;
}

/// How often each call left its mark.
struct Effects {
  std::map<std::string, std::vector<const ChangeStory*>> changes;  // by who asked it
  std::map<std::pair<std::string, std::string>, int> triggers;     // by schedule and id
  std::map<std::pair<std::string, std::string>, int> backfills;
};

Effects effects_of(const Evidence& evidence) {
  Effects effects;
  for (const auto& [key, life] : evidence.story.lives) {
    for (const ChangeStory& change : life.changes) effects.changes[change.line.by].push_back(&change);
    for (const BackfillStory& backfill : life.backfills) ++effects.backfills[{life.schedule, backfill.line.id}];
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      if (decision.line.source == Source::trigger) ++effects.triggers[{life.schedule, decision.detail}];
    }
  }
  return effects;
}

void check_count(const HistoryEntry& entry, std::int64_t count, bool may_be_none, Findings& findings) {
  findings.fact("I7");
  const bool is_missing = entry.answer == Answer::ok && count == 0 && !may_be_none;
  const bool is_unwanted = entry.answer == Answer::failed && count > 0;
  if (is_missing || is_unwanted || count > 1)
    findings.violation("I7", entry.call.schedule, "call {} ({}) was answered {}, but has {} effects{}",
                       entry.call.number, to_text(entry.call.kind),
                       entry.answer == Answer::ok       ? "ok"
                       : entry.answer == Answer::failed ? "failed"
                                                        : "unknown",
                       count, entry.error.empty() ? "" : ": " + entry.error);
}

void check_change(const HistoryEntry& entry, const Effects& effects, ChangeKind kind, Findings& findings) {
  const auto found = effects.changes.find(entry.by);
  std::int64_t count = found == effects.changes.end() ? 0 : std::ssize(found->second);
  // A creation may bring its pause.
  const bool pauses =
      entry.call.kind == CallKind::create && entry.call.document->on_create && entry.call.document->on_create->pause;
  if (pauses && count == 2 && found->second.back()->line.kind == ChangeKind::paused &&
      found->second.back()->moment.step == found->second.front()->moment.step)
    count = 1;
  check_count(entry, count, may_change_nothing(entry.call.kind), findings);
  if (count == 0) return;
  const ChangeStory& change = *found->second.front();
  if (change.line.kind != kind || change.line.head.schedule.text() != entry.call.schedule)
    findings.violation("I7", entry.call.schedule, "call {} ({}) left a change of kind {}", entry.call.number,
                       to_text(entry.call.kind), to_text(change.line.kind));
  if (entry.answer == Answer::ok && change.moment.time > *entry.end)
    findings.violation("I7", entry.call.schedule, "call {} was answered before it was written", entry.call.number);
}

void check_document(const Evidence& evidence, const HistoryEntry& entry, const Effects& effects, Findings& findings) {
  const auto found = effects.changes.find(entry.by);
  if (!entry.call.document || found == effects.changes.end()) return;
  const ChangeLine& line = found->second.front()->line;
  const Life& life = evidence.story.lives.at({line.head.schedule.text(), line.head.incarnation});
  const auto revision = life.revisions.find(line.revision);
  findings.fact("I7");
  if (revision == life.revisions.end() || revision->second.document != *entry.call.document)
    findings.violation("I7", entry.call.schedule, "call {} left another definition than it asked for",
                       entry.call.number);
}

// It ends, and nobody begins with it any more: who is in the middle of it is asked to stop.
void check_cancelled(const Evidence& evidence, const HistoryEntry& entry, Findings& findings) {
  if (entry.call.kind != CallKind::cancel_run || entry.answer != Answer::ok || !evidence.is_final) return;
  const DecisionStory* const decision = evidence.story.decision(entry.cancelled);
  findings.fact("I7");
  if (decision == nullptr || decision->line.outcome == DecisionOutcome::skipped) return;
  for (const std::size_t index : decision->attempts) {
    const AttemptStory& attempt = evidence.story.attempts[index];
    if (attempt.claimed.time > *entry.end)
      findings.violation("I7", entry.call.schedule, "attempt {} of line {} began after call {} had cancelled it",
                         attempt.line.attempt, static_cast<std::int64_t>(entry.cancelled), entry.call.number);
  }
  if (!decision->ended)
    findings.violation("I7", entry.call.schedule, "call {} cancelled line {}, which goes on", entry.call.number,
                       static_cast<std::int64_t>(entry.cancelled));
}

void check_entry(const Evidence& evidence, const HistoryEntry& entry, const Effects& effects, Findings& findings) {
  const auto count_in = [&](const auto& counts) {
    const auto found = counts.find({entry.call.schedule, entry.id});
    return found == counts.end() ? 0 : found->second;
  };
  if (const auto kind = kind_of(entry.call.kind)) {
    check_change(entry, effects, *kind, findings);
    check_document(evidence, entry, effects, findings);
  } else if (entry.call.kind == CallKind::trigger) {
    check_count(entry, count_in(effects.triggers), false, findings);
  } else if (entry.call.kind == CallKind::backfill) {
    check_count(entry, count_in(effects.backfills), false, findings);
  }
  check_cancelled(evidence, entry, findings);
}

// What is done with a creation is done once, and not by one that goes on after a deletion.
void check_first_trigger(const Evidence& evidence, const Life& life, Findings& findings) {
  if (life.revisions.empty() || life.changes.empty() || life.changes.front().line.kind != ChangeKind::created) return;
  const auto& first = life.revisions.begin()->second.document.on_create;
  const bool is_taken_up = predecessor(evidence, life) != nullptr;
  const std::int64_t wanted = first && first->trigger && !is_taken_up ? 1 : 0;
  const auto found = std::ranges::count_if(life.decisions, [&](std::size_t index) {
    const DecisionStory& decision = evidence.story.decisions[index];
    return decision.line.source == Source::trigger && decision.detail == creation_trigger_id;
  });
  findings.fact("I7");
  if (found != wanted) findings.violation("I7", life.schedule, "its creation has {} triggers, not {}", found, wanted);
}

void check_unasked(const Evidence& evidence, const Effects& effects, Findings& findings) {
  std::set<std::string> known{"carillon"};
  for (const HistoryEntry& entry : evidence.records.history) known.insert(entry.by);
  for (const auto& [by, changes] : effects.changes) {
    findings.fact("I7");
    if (!known.contains(by))
      findings.violation("I7", changes.front()->line.head.schedule.text(), "a change by {}, who asked for nothing", by);
  }
}

void check_after_deletion(const Evidence& evidence, const Life& life, Findings& findings) {
  const ChangeStory* const deletion = life.deletion();
  if (deletion == nullptr) return;
  for (const std::size_t index : life.decisions) {
    const DecisionStory& decision = evidence.story.decisions[index];
    findings.fact("I7");
    if (decision.first().moment.step > deletion->moment.step)
      findings.violation("I7", life.schedule, "{} was decided after the schedule was deleted",
                         to_text(decision.line.nominal));
    if (decision.line.outcome == DecisionOutcome::waiting)
      findings.violation("I7", life.schedule, "{} still waits, though the schedule was deleted",
                         to_text(decision.line.nominal));
  }
}

void check_revisions(const Life& life, Findings& findings) {
  std::int64_t latest = 0;
  for (const ChangeStory& change : life.changes) {
    findings.fact("I5");
    if (change.line.revision <= latest)
      findings.violation("I5", life.schedule, "revision {} follows revision {}", change.line.revision, latest);
    latest = change.line.revision;
  }
}

// I19: a clock that has just made a large step is not believed, whoever asks.
void check_clock(const Evidence& evidence, Findings& findings) {
  for (const HistoryEntry& entry : evidence.records.history) {
    if (!entry.is_by_doubted_clock) continue;
    findings.fact("I19");
    if (entry.answer == Answer::ok)
      findings.violation("I19", entry.call.schedule, "call {} was granted by a clock that nobody could believe yet",
                         entry.call.number);
  }
}

}  // namespace

void check_user_commands(const Evidence& evidence, Findings& findings) {
  check_clock(evidence, findings);
  const Effects effects = effects_of(evidence);
  for (const HistoryEntry& entry : evidence.records.history) {
    // While it is being asked, anything may be.
    if (entry.end || evidence.is_final) check_entry(evidence, entry, effects, findings);
  }
  check_unasked(evidence, effects, findings);
  for (const auto& [key, life] : evidence.story.lives) {
    check_after_deletion(evidence, life, findings);
    check_revisions(life, findings);
    check_first_trigger(evidence, life, findings);
  }
}

}  // namespace carillon::simulation
