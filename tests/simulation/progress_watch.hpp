#pragma once

#include "simulation/chronicle.hpp"
#include "simulation/passing_store.hpp"
#include "simulation/violation.hpp"
#include "simulation/world.hpp"

#include <map>
#include <string>
#include <utility>

namespace carillon::simulation {

/// I17: looks whether something could be done and is not. What it sees must be gone some seconds later, as long as
/// nothing is wrong with the world.
class ProgressWatch {
 public:
  ProgressWatch(World& world, Ports store, const Chronicle& chronicle, Findings& findings)
      : world_{world}, store_{store}, chronicle_{chronicle}, findings_{findings} {}

  /// `has_room`: workers can take whatever there is.
  void look(Instant calm_since, bool has_room);

 private:
  void look_at(const ScheduleView& view, Instant store_now, bool has_room);
  void look_at_runs(const ScheduleView& view, const std::string& id, Instant store_now, bool has_room);
  /// Whoever is in the way of one that replaces it has been asked to stop.
  void look_at_replaced(const ScheduleView& view, const std::string& id);
  void look_at_backfills(const ScheduleView& view, const std::string& id);
  /// Something is to be done: remembers since when. The text tells it from what is to be done after it.
  void pending(const std::string& what, const std::string& schedule, Duration patience = patience_usual);
  [[nodiscard]] const Revision* definition_of(const ScheduleState& state) const;

  // A poll and a round of housekeeping fit into this.
  static constexpr Duration patience_usual = std::chrono::seconds{15};

  World& world_;
  Ports store_;
  const Chronicle& chronicle_;
  Findings& findings_;
  Instant calm_since_;
  std::map<std::string, Instant> since_;
  std::map<std::string, Instant> seen_;
};

}  // namespace carillon::simulation
