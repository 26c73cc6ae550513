#include "engine/step_context.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {
namespace {

Instant instant_of(UtcSecond second) { return Instant{std::chrono::seconds{second}}; }

// When the zone's clocks first show a wall time, or pass it where it is skipped.
UtcSecond passing(const Zone& zone, WallSecond wall) {
  const Zone::Period& period = zone.period(zone.period_passing(wall));
  return std::max(wall - period.offset, period.begin);
}

}  // namespace

// A wall time that was decided under the old rules may come again under the new ones. It is not repeated.
Result<> on(StepContext& deciding, const ZoneRulesChanged&) {
  ScheduleState& state = deciding.state();
  if (deciding.definition.has_wall_rules && !state.deleted_at) {
    const auto second = std::chrono::floor<std::chrono::seconds>(state.cursor).time_since_epoch().count();
    const Instant again = instant_of(passing(deciding.definition.timetable.zone(), second + state.cursor_offset));
    if (again > state.cursor) {
      const auto last = deciding.definition.timetable.previous(again + Duration{1});
      if (last) skip_through(deciding, *last, SkipReason::clock);
      state.closed_until = std::max(state.closed_until, again);
    }
  }
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
