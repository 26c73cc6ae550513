#include "simulation/bugs/bugs.hpp"
#include "simulation/bugs/spoiled_commits.hpp"
#include "simulation/simulated_disk.hpp"

#include <array>

// What a mistake in how files are written would do when the power goes.

namespace carillon::simulation {
namespace {

/// Acknowledges what is not on the disk yet, as a store does that synchronises nothing.
class Unsynchronised final : public PassingStore {
 public:
  explicit Unsynchronised(Ports below) : PassingStore{below} { SimulatedDisk::instance().set_lying(true); }
};

constexpr std::array planted_disk_bugs{
    Bug{"synchronisation_skipped", "what was acknowledged is gone after a loss of power", make_store<Unsynchronised>},
};

}  // namespace

std::span<const Bug> disk_bugs() { return planted_disk_bugs; }

}  // namespace carillon::simulation
