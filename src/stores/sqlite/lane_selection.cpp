#include "stores/sqlite/lane_selection.hpp"

namespace carillon::sqlite {

Result<bool> LaneSelection::contains(std::int64_t number) {
  if (const auto known = known_.find(number); known != known_.end()) return known->second;
  if (!has_read_paused_) {
    for (std::string& name : TRY(names_.paused())) paused_.insert(std::move(name));
    has_read_paused_ = true;
  }
  const QueueLane lane = read_lane(TRY(names_.name_of(number)));
  const bool is_ours = filter_.admits(lane) && !paused_.contains(lane.queue);
  return known_.emplace(number, is_ours).first->second;
}

}  // namespace carillon::sqlite
