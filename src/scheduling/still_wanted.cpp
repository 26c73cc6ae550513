#include "scheduling/still_wanted.hpp"

namespace carillon {

Result<bool> is_still_wanted(ScheduleStore& store, const ScheduleKey& key, const QueuedRun& run) {
  if (run.uid == Uid{}) return true;
  const ScheduleLookup found = TRY(store.find(key));
  if (!found.view || found.view->state.uid != run.uid || found.view->state.deleted_at) return false;
  if (run.run.started_at || !is_automatic(run.source)) return true;
  const ScheduleState& state = found.view->state;
  const bool is_pause_over = state.paused_until && *state.paused_until <= found.store_now;
  return state.status != ScheduleStatus::disabled && (state.status != ScheduleStatus::paused || is_pause_over);
}

}  // namespace carillon
