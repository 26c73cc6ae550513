#include "engine/step_context.hpp"

#include <algorithm>
#include <limits>

namespace carillon {
namespace {

bool is_failure(RunState state) {
  return state == RunState::failed || state == RunState::timed_out || state == RunState::lost;
}

bool is_ended(const LiveRun& run) { return run.withdrawn || is_terminal(run.state); }

void count_outcome(ScheduleState& state, const LiveRun& run) {
  Counts& counts = state.counts;
  const bool is_counted_for_limits = is_automatic(run.source);
  if (run.state == RunState::succeeded) {
    ++counts.successes;
    state.has_failed = false;
    if (run.source != Source::backfill) state.last_success = std::max(state.last_success, run.seq);
    if (is_counted_for_limits) {
      ++counts.repeats;
      counts.consecutive_failures = 0;
    }
  } else if (is_failure(run.state)) {
    ++counts.errors;
    state.has_failed = true;
    if (run.source != Source::backfill) state.last_failure = std::max(state.last_failure, run.seq);
    if (is_counted_for_limits) ++counts.consecutive_failures;
  }
}

void count_one(ScheduleState& state, const LiveRun& run) {
  if (run.withdrawn) {
    uncount_start(state, run.source, run.seq);
    count_one_skip(state, *run.withdrawn, run.source, run.nominal);
  } else {
    count_outcome(state, run);
  }
}

bool is_automatic_start(const WaitingStart& waiting) { return is_automatic(waiting.source); }

// What came due before anybody saw the failure is not the pause's to swallow: it is decided as before any other pause.
void pause_on_failure(StepContext& deciding) {
  if (deciding.hold == Hold::nobody) deciding.hold = Hold::automatic;
  deciding.decisions_max = std::numeric_limits<std::size_t>::max();
  decide_due(deciding);
  pause(deciding, "carillon", "a run has failed", std::nullopt);
}

}  // namespace

void count_skip(ScheduleState& state, SkipReason reason, std::int64_t count) {
  state.counts.skipped[static_cast<std::size_t>(reason)] += count;
}

void count_one_skip(ScheduleState& state, SkipReason reason, Source source, Instant nominal) {
  count_skip(state, reason, 1);
  if (is_automatic(source)) state.skipped_until = std::max(state.skipped_until, nominal);
}

Counts counted(const ScheduleView& view) {
  ScheduleState state = view.state;
  for (const LiveRun& run : view.live) {
    if (is_ended(run)) count_one(state, run);
    // It was counted when it was queued, and will be again when it is released.
    if (is_waiting(run) && run.is_held_back) uncount_start(state, run.source, run.seq);
  }
  return state.counts;
}

void count_ended(StepContext& deciding) {
  for (const LiveRun& run : deciding.view.live) {
    if (!is_ended(run)) continue;
    count_one(deciding.state(), run);
    const bool is_new_failure = !run.withdrawn && is_failure(run.state);
    (is_automatic(run.source) ? deciding.has_new_failure : deciding.has_new_failure_by_hand) |= is_new_failure;
    deciding.out.counted.push_back(run.seq);
  }
}

void count_start(StepContext& deciding, Source source) {
  Counts& counts = deciding.state().counts;
  ++counts.runs;
  counts.starts += is_automatic(source) && deciding.policies().starts_max;
}

bool is_counted_start(const ScheduleState& state, Source source, Seq seq) {
  return is_automatic(source) && state.counts.starts > 0 && (seq == Seq{} || seq > state.starts_since);
}

void uncount_start(ScheduleState& state, Source source, Seq seq) {
  --state.counts.runs;
  state.counts.starts -= is_counted_start(state, source, seq);
}

// What is live now was started before: if it is taken back later, that gives nothing back.
void restart_counting_starts(StepContext& deciding) {
  ScheduleState& state = deciding.state();
  state.counts.starts = 0;
  state.starts_since = {};
  if (!deciding.view.live.empty()) state.starts_since = deciding.view.live.back().seq;
}

bool has_no_starts_left(const ScheduleState& state, const Policies& policies) {
  return policies.starts_max && state.counts.starts >= *policies.starts_max;
}

bool is_exhausted(const StepContext& deciding, std::int64_t counted) {
  const Policies& policies = deciding.policies();
  const Counts& counts = deciding.out.next.counts;
  if (policies.starts_max && counts.starts - counted >= *policies.starts_max) return true;
  const auto in_flight = static_cast<std::int64_t>(deciding.automatic_open);
  return policies.total_repeats > 0 && counts.repeats + in_flight >= policies.total_repeats;
}

std::optional<ScheduleStatus> end_by_limits(const ScheduleState& state, const Policies& policies) {
  if (policies.total_repeats > 0 && state.counts.repeats >= policies.total_repeats) return ScheduleStatus::done;
  if (policies.consecutive_failures_max > 0 && state.counts.consecutive_failures >= policies.consecutive_failures_max)
    return ScheduleStatus::dead;
  return std::nullopt;
}

void apply_limits(StepContext& deciding) {
  ScheduleState& state = deciding.state();
  if (state.status != ScheduleStatus::active) return;
  const auto end = end_by_limits(state, deciding.policies());
  // Only a failure kills: an edit that lowers the limit gives the new definition its chance.
  if (end && (*end == ScheduleStatus::done || deciding.has_new_failure)) {
    state.status = *end;
    skip_waiting(deciding, SkipReason::exhausted, is_automatic_start);
    // What came due before anybody saw the limit reached is not dropped without a word.
    if (const auto newest = deciding.definition.newest_due(deciding.now))
      skip_through(deciding, *newest, SkipReason::exhausted);
    return;
  }
  // What failed during a pause has been dealt with by whoever ends it.
  const bool was_active = deciding.view.state.status == ScheduleStatus::active;
  const bool has_new_failure = deciding.has_new_failure || deciding.has_new_failure_by_hand;
  if (deciding.policies().pause_on_failure && has_new_failure && was_active) pause_on_failure(deciding);
}

}  // namespace carillon
