#include "ports/schedule_store.hpp"
#include "simulation/invariants/evidence.hpp"

#include <algorithm>
#include <ranges>

// I11 and I9: every skip has a reason that was really there.

namespace carillon::simulation {
namespace {

/// A skip, alone or in a range.
struct Skip {
  const Life& life;
  const Revision& revision;
  const DecisionStory* decision = nullptr;  // none: a range
  Instant nominal;
  Instant due;
  Instant at;
  Moment moment;
  SkipReason reason;
  bool has_waited = false;
};

bool is_late(const Skip& skip) { return skip.at - skip.due > grace_of(skip.revision.document.policies.catchup); }

bool is_outside_window(const Skip& skip) {
  const auto window = window_of(skip.revision.document.policies.catchup);
  return window && skip.at - skip.due > *window;
}

// Decisions stand in the order in which they were written, so that those of a step are found without looking at all.
auto step_of(const Evidence& evidence) {
  return [&](std::size_t index) { return evidence.story.decisions[index].first().moment.step; };
}

auto decisions_until(const Evidence& evidence, const Skip& skip) {
  const auto& all = skip.life.decisions;
  return std::ranges::subrange{all.begin(), std::ranges::upper_bound(all, skip.moment.step, {}, step_of(evidence))};
}

auto decisions_at(const Evidence& evidence, const Skip& skip) {
  return std::ranges::equal_range(skip.life.decisions, skip.moment.step, {}, step_of(evidence));
}

bool replaces(OverlapPolicy policy) {
  return policy == OverlapPolicy::buffer_latest || policy == OverlapPolicy::cancel_other ||
         policy == OverlapPolicy::terminate_other;
}

// Its policy is the one its call gave it.
bool is_replacing_trigger(const Evidence& evidence, const DecisionStory& other) {
  return other.line.source == Source::trigger &&
         std::ranges::any_of(evidence.records.history, [&](const HistoryEntry& entry) {
           return entry.call.kind == CallKind::trigger && entry.id == other.detail && replaces(entry.call.overlap);
         });
}

// The same of a backfill through the slot. One that gave way itself tells no id any more.
bool is_replacing_backfill(const Evidence& evidence, const Life& life, const DecisionStory& other) {
  return other.line.source == Source::backfill &&
         std::ranges::any_of(evidence.records.history, [&](const HistoryEntry& entry) {
           return entry.backfill && entry.call.schedule == life.schedule && entry.backfill->overlap &&
                  replaces(*entry.backfill->overlap) && (other.detail.empty() || entry.id == other.detail);
         });
}

// A trigger or a backfill that takes the place of others, in the transaction of a skip.
bool is_replaced_at(const Evidence& evidence, const Skip& skip) {
  return std::ranges::any_of(decisions_at(evidence, skip), [&](std::size_t index) {
    const DecisionStory& other = evidence.story.decisions[index];
    if (&other == skip.decision) return false;
    return is_replacing_trigger(evidence, other) || is_replacing_backfill(evidence, skip.life, other);
  });
}

// A pause, an end, a deletion or a trigger that replaces others takes back in its own transaction what it finds due:
// that was in the way of others before.
bool was_taken_back_with(const Evidence& evidence, const Skip& skip, const DecisionStory& other) {
  const Phase& first = other.first();
  if (first.moment.step != skip.moment.step) return false;
  if (first.reason == SkipReason::paused || first.reason == SkipReason::deleted) return true;
  return first.reason == SkipReason::superseded && is_replaced_at(evidence, skip);
}

// Ended runs count when they ended after the decision was made, even if before it was written.
bool was_taken(const Evidence& evidence, const Skip& skip, std::int64_t before_step = INT64_MAX) {
  return std::ranges::any_of(decisions_until(evidence, skip) | std::views::reverse, [&](std::size_t index) {
    const DecisionStory& other = evidence.story.decisions[index];
    if (&other == skip.decision || other.first().moment.step >= before_step) return false;
    if (was_taken_back_with(evidence, skip, other)) return true;
    if (!other.ended || other.ended->step > skip.moment.step) {
      const auto spans = open_spans(other);
      const auto waits = waiting_spans(other);
      const auto covers = [&](const StepSpan& span) { return span.contains(skip.moment.step); };
      if (std::ranges::any_of(spans, covers) || std::ranges::any_of(waits, covers)) return true;
      // Taken back or released in this very transaction, it was there when the decision was made.
      return other.phases.size() > 1 && other.last().moment.step >= skip.moment.step;
    }
    return other.ended->store >= skip.at || !evidence.world.is_steady(other.ended->time, skip.moment.time);
  });
}

/// The outage in which it came due, if there is one: it was decided after it.
const OutageStory* outage_of(const Evidence& evidence, const Skip& skip, Duration slack) {
  const auto found = std::ranges::find_if(evidence.story.outages, [&](const OutageStory& outage) {
    return outage.line.from - slack <= skip.due && skip.due < outage.line.to && outage.line.to <= skip.at &&
           outage.moment.step < skip.moment.step;
  });
  return found == evidence.story.outages.end() ? nullptr : &*found;
}

// Whoever decides is told of the newest outages only.
bool is_forgotten(const Evidence& evidence, const OutageStory& outage, const Skip& skip) {
  const auto later = std::ranges::count_if(evidence.story.outages, [&](const OutageStory& other) {
    return other.moment.step > outage.moment.step && other.moment.step < skip.moment.step;
  });
  return static_cast<std::size_t>(later) >= outages_told_max;
}

// What took the slot was there when the occurrence came due: nothing that was decided after the outage was. A clock
// that was set back may have passed the time twice.
bool is_overlap(const Evidence& evidence, const Skip& skip) {
  if (!was_taken(evidence, skip)) return false;
  const OutageStory* const outage = outage_of(evidence, skip, Duration{0});
  const bool is_own = skip.decision != nullptr && is_automatic(*skip.decision);
  if (!is_own || outage == nullptr || evidence.world.went_back(outage->moment.time, skip.moment.time)) return true;
  return is_forgotten(evidence, *outage, skip) || was_taken(evidence, skip, outage->moment.step);
}

bool is_by_outage(const Evidence& evidence, const Skip& skip) {
  const OverlapPolicy policy = skip.revision.document.policies.overlap;
  if (policy != OverlapPolicy::skip && policy != OverlapPolicy::buffer_one) return false;
  return outage_of(evidence, skip, outage_min) != nullptr && was_taken(evidence, skip);
}

/// Who took the place of one that was superseded, in the same transaction, or before: a start under a clock that was
/// ahead stands.
struct Successors {
  bool has_own = false;
  bool has_trigger = false;
};

Successors successors_of(const Evidence& evidence, const Skip& skip) {
  Successors found{.has_trigger = is_replaced_at(evidence, skip)};
  for (const std::size_t index : decisions_at(evidence, skip)) {
    const DecisionStory& other = evidence.story.decisions[index];
    if (&other == skip.decision) continue;
    // A trigger's time may be anything.
    const bool is_timed = skip.decision == nullptr || is_automatic(*skip.decision);
    found.has_own |= is_automatic(other) && (!is_timed || other.line.nominal > skip.nominal);
  }
  if (!evidence.world.went_back(evidence.plan.begin, skip.moment.time)) return found;
  found.has_own |= std::ranges::any_of(decisions_until(evidence, skip), [&](std::size_t index) {
    const DecisionStory& other = evidence.story.decisions[index];
    return is_automatic(other) && other.line.nominal > skip.nominal && !open_spans(other).empty();
  });
  return found;
}

bool is_superseded(const Evidence& evidence, const Skip& skip) {
  const Successors successors = successors_of(evidence, skip);
  if (successors.has_trigger) return true;
  const Policies& policies = skip.revision.document.policies;
  return successors.has_own &&
         (skip.has_waited || policies.catchup.policy == CatchupPolicy::latest || replaces(policies.overlap));
}

bool has_rested(const Skip& skip) {
  return std::ranges::any_of(skip.life.statuses, [&](const StatusPhase& phase) {
    const bool rests = phase.status == ScheduleStatus::paused || phase.status == ScheduleStatus::disabled;
    return rests && phase.moment.step <= skip.moment.step;
  });
}

bool was_buffer_full(const Evidence& evidence, const Skip& skip) {
  std::int64_t room = skip.revision.document.policies.buffer_limit;
  const auto is_waiting = [&](const DecisionStory& other) {
    if (was_taken_back_with(evidence, skip, other)) return true;
    const auto spans = waiting_spans(other);
    // Just before counts too: what comes after it in the same transaction may have emptied the buffer.
    return std::ranges::any_of(spans, [&](const StepSpan& span) {
      return span.contains(skip.moment.step) || span.contains(skip.moment.step - 1);
    });
  };
  for (const std::size_t index : decisions_until(evidence, skip) | std::views::reverse) {
    room -= is_waiting(evidence.story.decisions[index]);
    if (room <= 0) return true;
  }
  return room <= 0;
}

// As many have been started as may be, those that were taken back later included.
bool has_used_up_starts(const Evidence& evidence, const Skip& skip, std::int64_t limit) {
  for (const std::size_t index : decisions_until(evidence, skip)) {
    const DecisionStory& other = evidence.story.decisions[index];
    const auto has_started = [](const Phase& phase) { return phase.outcome == DecisionOutcome::started; };
    limit -= is_automatic(other) && std::ranges::any_of(other.phases, has_started);
  }
  return limit <= 0;
}

bool is_exhausted(const Evidence& evidence, const Skip& skip) {
  const Policies& policies = skip.revision.document.policies;
  if (policies.total_repeats > 0 || policies.consecutive_failures_max > 0 || skip.has_waited) return true;
  return policies.starts_max && has_used_up_starts(evidence, skip, *policies.starts_max);
}

bool is_explained(const Evidence& evidence, const Skip& skip) {
  const Policies& policies = skip.revision.document.policies;
  switch (skip.reason) {
    case SkipReason::overlap: return is_overlap(evidence, skip);
    case SkipReason::outage: return is_by_outage(evidence, skip);
    case SkipReason::buffer_full: return was_buffer_full(evidence, skip);
    case SkipReason::superseded: return is_superseded(evidence, skip);
    case SkipReason::missed:
      return is_outside_window(skip) || (is_late(skip) && policies.catchup.policy == CatchupPolicy::none);
    case SkipReason::quota: return is_late(skip) && policies.catchup.policy == CatchupPolicy::all;
    case SkipReason::paused: return has_rested(skip);
    case SkipReason::deleted: {
      const ChangeStory* const deletion = skip.life.deletion();
      return deletion != nullptr && deletion->moment.step <= skip.moment.step;
    }
    case SkipReason::exhausted: return is_exhausted(evidence, skip);
    case SkipReason::clock:
      // A wall time that comes again under new rules, or a wait for a time that has not come yet.
      return evidence.has_zone_change() || evidence.world.went_back(evidence.plan.begin, skip.moment.time);
    case SkipReason::condition:
    case SkipReason::upstream: return false;
  }
  return false;
}

void check(const Evidence& evidence, const Skip& skip, Findings& findings) {
  findings.fact("I11");
  if (!is_explained(evidence, skip))
    findings.violation("I11", skip.life.schedule, "{} was skipped as {} at {} without cause", to_text(skip.nominal),
                       to_text(skip.reason), to_text(skip.at));
}

void check_decision(const Evidence& evidence, const Life& life, const DecisionStory& decision, Findings& findings) {
  const Phase& last = decision.last();
  if (last.outcome != DecisionOutcome::skipped) return;
  // What became of a wait was decided under the definition of that time, which the line does not tell any more.
  const bool has_waited = decision.phases.size() > 1;
  const Revision* const revision = life.definition(last.revision);
  if (!last.reason || revision == nullptr) {
    findings.violation("I21", life.schedule, "{} was skipped without a reason", to_text(decision.line.nominal));
    return;
  }
  check(evidence,
        {.life = life,
         .revision = *revision,
         .decision = &decision,
         .nominal = decision.line.nominal,
         .due = decision.line.due,
         .at = last.at,
         .moment = last.moment,
         .reason = *last.reason,
         .has_waited = has_waited},
        findings);
}

void check_range(const Evidence& evidence, const Life& life, const RangeStory& range, Findings& findings) {
  const Revision* const revision = life.definition(range.line.revision);
  if (revision == nullptr) return;
  const Instant last = range.line.to;
  check(evidence,
        {.life = life,
         .revision = *revision,
         .nominal = last,
         .due = revision->due(last),
         .at = range.line.head.at,
         .moment = range.moment,
         .reason = range.line.reason},
        findings);
}

}  // namespace

void check_reasons(const Evidence& evidence, Findings& findings) {
  for (const auto& [key, life] : evidence.story.lives) {
    for (const std::size_t index : life.decisions)
      check_decision(evidence, life, evidence.story.decisions[index], findings);
    for (const RangeStory& range : life.ranges) check_range(evidence, life, range, findings);
  }
}

}  // namespace carillon::simulation
