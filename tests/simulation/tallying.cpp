#include "simulation/tallying.hpp"

#include "engine/step.hpp"

#include <algorithm>
#include <chrono>

namespace carillon::simulation {
namespace {

std::optional<Sometimes> situation_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::overlap: return Sometimes::skipped_overlap;
    case SkipReason::buffer_full: return Sometimes::skipped_buffer_full;
    case SkipReason::superseded: return Sometimes::skipped_superseded;
    case SkipReason::missed: return Sometimes::skipped_missed;
    case SkipReason::quota: return Sometimes::skipped_quota;
    case SkipReason::paused: return Sometimes::skipped_paused;
    case SkipReason::deleted: return Sometimes::skipped_deleted;
    case SkipReason::exhausted: return Sometimes::skipped_exhausted;
    case SkipReason::outage: return Sometimes::skipped_outage;
    case SkipReason::clock: return Sometimes::skipped_clock;
    default: return std::nullopt;
  }
}

void tally_skip(SkipReason reason, std::int64_t count, Tally& tally) {
  if (const auto situation = situation_of(reason)) tally.add(*situation, count);
}

bool crosses_clock_change(const Revision& revision, Instant from, Instant to) {
  const Zone& zone = revision.timetable().zone();
  const auto second = [](Instant time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  };
  return zone.offset_at(second(from)) != zone.offset_at(second(to));
}

void tally_phases(const Life& life, const DecisionStory& decision, Tally& tally) {
  for (std::size_t i = 1; i < decision.phases.size(); ++i) {
    const DecisionOutcome from = decision.phases[i - 1].outcome;
    const DecisionOutcome to = decision.phases[i].outcome;
    if (from == DecisionOutcome::waiting && to == DecisionOutcome::started) tally.add(Sometimes::waiting_released);
    if (from == DecisionOutcome::started && to == DecisionOutcome::skipped) tally.add(Sometimes::pause_withdrew_queued);
    if (from == DecisionOutcome::started && to == DecisionOutcome::waiting)
      tally.add(Sometimes::pause_held_back_queued);
  }
  const Phase& first = decision.first();
  const Revision* const revision = life.definition(first.revision);
  if (decision.line.source != Source::catchup || revision == nullptr) return;
  if (first.outcome != DecisionOutcome::skipped) tally.add(Sometimes::catchup_started);
  if (crosses_clock_change(*revision, decision.line.nominal, first.at)) tally.add(Sometimes::catchup_over_clock_change);
}

void tally_attempts(const Evidence& evidence, const Life& life, const DecisionStory& decision, Tally& tally) {
  if (decision.attempts.empty()) {
    if (decision.ended && has_started(decision)) tally.add(Sometimes::run_expired);
    return;
  }
  if (decision.attempts.size() > 1) tally.add(Sometimes::run_retried);
  for (std::size_t i = 0; i < decision.attempts.size(); ++i) {
    const AttemptStory& attempt = evidence.story.attempts[decision.attempts[i]];
    if (attempt.line.state == AttemptState::timed_out) tally.add(Sometimes::run_timed_out);
    if (attempt.line.state != AttemptState::lost) continue;
    tally.add(Sometimes::attempt_lost);
    const Revision* const revision = life.definition(decision.line.revision);
    const bool is_last = i + 1 == decision.attempts.size();
    if (!is_last) tally.add(Sometimes::lost_attempt_retried);
    if (is_last && revision != nullptr && !retries_when_lost(revision->document.policies, revision->document.action))
      tally.add(Sometimes::lost_command_not_retried);
  }
  const AttemptStory& first = evidence.story.attempts[decision.attempts.front()];
  for (const ChangeStory& change : life.changes) {
    const bool covers =
        first.claimed.step < change.moment.step && (!first.ended || first.ended->step > change.moment.step);
    if (covers && change.line.kind == ChangeKind::paused) tally.add(Sometimes::pause_found_it_claimed);
    if (covers && change.line.kind == ChangeKind::deleted) tally.add(Sometimes::deleted_with_running);
  }
}

bool is_boundary(const Life& life, const ChangeStory& change) {
  const Revision* const before = life.definition(change.line.revision - 1);
  return before != nullptr && before->timetable().next(change.line.head.at - Duration{1}) == change.line.head.at;
}

void tally_changes(const Evidence& evidence, const Life& life, Tally& tally) {
  for (const ChangeStory& change : life.changes) {
    const bool is_own = change.line.by == "carillon";
    if (change.line.kind == ChangeKind::resumed && is_own) tally.add(Sometimes::pause_ended_by_itself);
    if (change.line.kind == ChangeKind::paused && is_own) tally.add(Sometimes::paused_on_failure);
    if (change.line.kind == ChangeKind::updated && is_boundary(life, change))
      tally.add(Sometimes::edited_at_the_boundary);
  }
  for (std::size_t i = 0; i < life.statuses.size(); ++i) {
    const ScheduleStatus status = life.statuses[i].status;
    if (status == ScheduleStatus::done) tally.add(Sometimes::became_done);
    if (status == ScheduleStatus::dead) tally.add(Sometimes::became_dead);
    const bool is_over = status == ScheduleStatus::done || status == ScheduleStatus::dead;
    if (is_over && i + 1 < life.statuses.size()) tally.add(Sometimes::left_done_or_dead);
  }
  if (predecessor(evidence, life) != nullptr) {
    tally.add(Sometimes::tombstone_taken_up);
  } else if (life.incarnation > 1) {
    tally.add(Sometimes::created_beyond_tombstone);
  }
}

void tally_backfills(const Evidence& evidence, const Life& life, Tally& tally) {
  for (const BackfillStory& backfill : life.backfills) {
    if (!backfill.completed) continue;
    tally.add(Sometimes::backfill_completed);
    const auto is_within = [&](const Fault& fault) {
      const Instant at = evidence.plan.begin + fault.at;
      return fault.kind == FaultKind::crash && backfill.moment.time < at && at < backfill.completed->time;
    };
    if (std::ranges::any_of(evidence.plan.faults, is_within)) tally.add(Sometimes::backfill_over_a_crash);
    const auto made = std::ranges::count_if(life.decisions, [&](std::size_t index) {
      const DecisionStory& decision = evidence.story.decisions[index];
      return decision.line.source == Source::backfill && decision.detail == backfill.line.id;
    });
    if (made < backfill.line.total) tally.add(Sometimes::backfill_passed_over);
  }
}

void tally_by_hand(const Life& life, const DecisionStory& decision, Tally& tally) {
  const bool is_backfilled = decision.line.source == Source::backfill;
  if (is_backfilled && decision.line.waited_from) tally.add(Sometimes::backfill_waited_for_slot);
  if (is_backfilled && decision.line.outcome == DecisionOutcome::skipped) tally.add(Sometimes::backfill_gave_way);
  if (decision.detail == creation_trigger_id) tally.add(Sometimes::created_with_trigger);
  const Revision* const revision = life.definition(decision.line.revision);
  const bool has_limit = revision != nullptr && revision->document.policies.starts_max;
  if (has_limit && decision.line.reason == SkipReason::exhausted) tally.add(Sometimes::starts_used_up);
}

}  // namespace

void tally_story(const Evidence& evidence, Tally& tally) {
  for (const auto& [key, life] : evidence.story.lives) {
    for (const std::size_t index : life.decisions) {
      const DecisionStory& decision = evidence.story.decisions[index];
      if (decision.line.reason) tally_skip(*decision.line.reason, 1, tally);
      tally_phases(life, decision, tally);
      tally_attempts(evidence, life, decision, tally);
      tally_by_hand(life, decision, tally);
    }
    for (const RangeStory& range : life.ranges) {
      tally.add(Sometimes::range_written);
      tally_skip(range.line.reason, range.line.count, tally);
      const Revision* const revision = life.definition(range.line.revision);
      if (revision != nullptr && crosses_clock_change(*revision, range.line.from, range.line.head.at))
        tally.add(Sometimes::catchup_over_clock_change);
    }
    tally_changes(evidence, life, tally);
    tally_backfills(evidence, life, tally);
  }
}

}  // namespace carillon::simulation
