#pragma once

#include "simulation/fault_board.hpp"
#include "simulation/plan.hpp"
#include "simulation/records.hpp"
#include "simulation/sometimes.hpp"
#include "simulation/world.hpp"

#include <functional>

namespace carillon::simulation {

/// What all who act in a world share.
struct Surroundings {
  const Plan& plan;
  World& world;
  FaultBoard& faults;
  Records& records;
  Tally& tally;
  std::function<bool()> has_open_runs;  // else there is nothing that could be lost or expire
};

}  // namespace carillon::simulation
