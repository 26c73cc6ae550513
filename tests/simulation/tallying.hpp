#pragma once

#include "simulation/invariants/evidence.hpp"
#include "simulation/sometimes.hpp"

namespace carillon::simulation {

/// Counts the situations that the story of a world tells of.
void tally_story(const Evidence& evidence, Tally& tally);

}  // namespace carillon::simulation
