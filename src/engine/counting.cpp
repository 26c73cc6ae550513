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
    if (is_counted_for_limits) ++counts.consecutive_failures;
  }
}

void count_one(ScheduleState& state, const LiveRun& run) {
  if (run.withdrawn) {
    --state.counts.runs;
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
    state.counts.runs -= is_waiting(run) && run.is_held_back;
  }
  return state.counts;
}

void count_ended(StepContext& deciding) {
  for (const LiveRun& run : deciding.view.live) {
    if (!is_ended(run)) continue;
    count_one(deciding.state(), run);
    deciding.has_new_failure |= !run.withdrawn && is_failure(run.state) && is_automatic(run.source);
    deciding.out.counted.push_back(run.seq);
  }
}

bool is_exhausted(const StepContext& deciding) {
  const std::int64_t limit = deciding.policies().total_repeats;
  const auto in_flight = static_cast<std::int64_t>(deciding.automatic_open);
  return limit > 0 && deciding.out.next.counts.repeats + in_flight >= limit;
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
  if (deciding.policies().pause_on_failure && deciding.has_new_failure && was_active) pause_on_failure(deciding);
}

}  // namespace carillon
