#include "engine/step_context.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace carillon {
namespace {

bool has_limits(const Policies& policies) {
  return policies.total_repeats > 0 || policies.starts_max || policies.consecutive_failures_max > 0;
}

bool has_own_waiting(const StepContext& deciding) {
  return std::ranges::any_of(deciding.waiting, [](const WaitingStart& one) { return is_automatic(one.source); });
}

// Done is said when nothing of its own is left to come, to wait or to end.
void conclude_life(StepContext& deciding, const Definition& definition, bool has_next) {
  ScheduleState& state = deciding.state();
  if (state.status != ScheduleStatus::active || has_next || !definition.has_occurrences || deciding.has_more) return;
  if (deciding.automatic_open == 0 && !has_own_waiting(deciding)) state.status = ScheduleStatus::done;
}

std::optional<Instant> wake_of(StepContext& deciding, const Definition& definition) {
  const ScheduleState& state = deciding.state();
  if (deciding.has_more) return deciding.now;
  if (state.status == ScheduleStatus::paused) return state.paused_until;
  if (state.status != ScheduleStatus::active) return std::nullopt;
  const auto next = definition.timetable.next(state.cursor);
  conclude_life(deciding, definition, next && !has_no_starts_left(state, definition.policies));
  if (state.status != ScheduleStatus::active) return std::nullopt;
  return next ? std::optional{definition.due(*next)} : std::nullopt;
}

bool cares_for_ends(const StepContext& deciding, const Definition& definition) {
  const ScheduleState& state = deciding.out.next;
  if (!deciding.waiting.empty() || has_running_backfill(deciding)) return true;
  if (state.status != ScheduleStatus::active) return false;
  if (definition.policies.pause_on_failure && deciding.open > 0) return true;
  if (deciding.automatic_open == 0) return false;
  return has_limits(definition.policies) || (!state.wake && definition.has_occurrences);
}

void watch_open_runs(StepContext& deciding) {
  for (const LiveRun& run : deciding.view.live)
    if (is_open(run)) deciding.out.watched.push_back(run.seq);
}

}  // namespace

void conclude(StepContext& deciding, const Definition& definition) {
  ScheduleState& state = deciding.state();
  if (state.deleted_at) {
    state.wake.reset();
    state.listens = false;
    return;
  }
  state.wake = wake_of(deciding, definition);
  state.listens = cares_for_ends(deciding, definition);
  if (state.listens) watch_open_runs(deciding);
  if (definition.has_wall_rules) {
    const auto second = std::chrono::floor<std::chrono::seconds>(state.cursor).time_since_epoch().count();
    state.cursor_offset = static_cast<std::int32_t>(definition.timetable.zone().offset_at(second));
  }
  state.zone_edition = definition.zone_edition;
}

}  // namespace carillon
