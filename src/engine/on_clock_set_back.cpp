#include "engine/step_context.hpp"

#include <algorithm>

namespace carillon {
namespace {

// Takes back the skips after `from`, between those that stand.
void void_skips(StepContext& deciding, Instant from) {
  const Timetable& timetable = deciding.definition.timetable;
  const Instant end = deciding.state().skipped_until;
  const auto take_back = [&](std::optional<Instant> last) {
    const auto first = timetable.next(from);
    if (first && last && *first <= *last) deciding.out.voids.push_back({.from = *first, .to = *last});
  };
  for (const Instant standing : deciding.view.standing) {
    if (standing <= from || standing > end) continue;
    take_back(timetable.previous(standing));
    from = standing;
  }
  take_back(end);
}

// Its time has not come, so it cannot wait either: it is open again, like what was skipped.
void give_up_waiting(StepContext& deciding, Instant newest) {
  skip_waiting(deciding, SkipReason::clock,
               [&](const WaitingStart& waiting) { return is_automatic(waiting.source) && waiting.nominal > newest; });
}

// What was taken back and not counted yet has been skipped too.
void note_withdrawn(StepContext& deciding) {
  for (const LiveRun& run : deciding.view.live)
    if (run.withdrawn && is_automatic(run.source))
      deciding.state().skipped_until = std::max(deciding.state().skipped_until, run.nominal);
}

}  // namespace

// What was only skipped in a time that has not come yet is open again; what started stands.
Result<> on(StepContext& deciding, const ClockSetBack&) {
  ScheduleState& state = deciding.state();
  const Instant newest =
      std::max(deciding.definition.newest_due(deciding.now).value_or(instant_min), state.closed_until);
  if (state.cursor > deciding.now && state.cursor > newest) {
    give_up_waiting(deciding, newest);
    note_withdrawn(deciding);
    void_skips(deciding, newest);
    state.skipped_until = std::min(state.skipped_until, newest);
    state.cursor = newest;
  }
  bring_up_to_date(deciding);
  return {};
}

}  // namespace carillon
