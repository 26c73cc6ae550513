#include "engine/refusals.hpp"
#include "engine/step_context.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carillon {
namespace {

// A file that vanishes and comes back, as in a checkout of another branch, must neither lose an occurrence nor run one
// twice, nor end a pause.
void take_up(StepContext& deciding, const ScheduleState& tombstone) {
  ScheduleState& state = deciding.state();
  state.created_at = tombstone.created_at;
  // Only the time since the deletion is made up for: what came due before it, while the schedule was disabled or had
  // another spec, is nobody's.
  const auto before = deciding.definition.newest_due(*tombstone.deleted_at);
  state.cursor = std::max({tombstone.cursor, tombstone.started_until, before.value_or(tombstone.cursor)});
  state.closed_until = state.cursor;
  state.own_since = state.cursor;
  if (!tombstone.paused_at) return;
  state.paused_at = tombstone.paused_at;
  state.paused_until = tombstone.paused_until;
  state.status = ScheduleStatus::paused;
  add_change(deciding, ChangeKind::paused, "carillon");
  add_reason(deciding, "was paused when it was deleted");
  deciding.out.changes.back().until = tombstone.paused_until;
}

Result<> pause_at_once(StepContext& deciding, const Created& event) {
  const OnCreate::Pause& wanted = *event.first->pause;
  if (wanted.until && *wanted.until <= deciding.now)
    return std::unexpected(wrong_request("until", "a pause must end in the future", *wanted.until));
  pause(deciding, event.by, wanted.reason, wanted.until);
  return {};
}

// Pauses and limits do not concern what a user starts.
Result<> start_at_once(StepContext& deciding, const Created& event) {
  if (const auto& wanted = event.first->trigger)
    TRY(on(deciding, Triggered{.by = event.by,
                               .id = creation_trigger_id,
                               .overlap = wanted->overlap,
                               .nominal = wanted->nominal,
                               .payload = wanted->payload}));
  int number = 0;
  for (const BackfillOptions& wanted : event.first->backfills)
    TRY(on(deciding,
           BackfillRequested{.by = event.by,
                             .backfill = new_backfill(wanted, fmt::format("bf-{}{}", creation_trigger_id, ++number))}));
  return {};
}

}  // namespace

Result<> on(StepContext& deciding, const Created& event) {
  ScheduleState& state = deciding.state();
  state.revision = deciding.definition.revision;
  state.created_at = deciding.now;
  state.own_since = deciding.now;
  state.cursor = deciding.now;
  deciding.out.changes.push_back({.kind = ChangeKind::created,
                                  .revision = state.revision,
                                  .by = event.by,
                                  .key = deciding.definition.key,
                                  .document = event.document});
  const bool is_taken_up = event.tombstone && can_be_taken_up(*event.tombstone, deciding.now);
  if (is_taken_up) take_up(deciding, *event.tombstone);
  const bool does_more = event.first && !is_taken_up;
  if (does_more && event.first->pause) TRY(pause_at_once(deciding, event));
  if (!deciding.definition.is_enabled) state.status = ScheduleStatus::disabled;
  return does_more ? start_at_once(deciding, event) : Result<>{};
}

bool can_be_taken_up(const ScheduleState& tombstone, Instant now) {
  return tombstone.deleted_at && now - *tombstone.deleted_at <= tombstone_memory;
}

}  // namespace carillon
