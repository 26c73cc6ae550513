#pragma once

#include "simulation/plan.hpp"
#include "simulation/simulation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace carillon::simulation {

/// Which elements of a drawn plan are left; what is none was not touched.
struct Selection {
  std::optional<std::vector<int>> faults{};
  std::optional<std::vector<int>> calls{};
  std::optional<std::vector<int>> actors{};
  std::optional<std::vector<std::string>> schedules{};
  std::optional<Duration> troubled{};
};

/// The plan with only these elements.
[[nodiscard]] Plan select(Plan plan, const Selection& selection);
/// The options of `simulate` that select what a plan has left of its seed's.
[[nodiscard]] std::string options_text(const Plan& plan);

struct Shrunken {
  Plan plan;
  Violation violation;
  int tries = 0;
};

/// Takes out of a plan whatever is not needed to break the same promise, as far as `tries_max` simulations get.
[[nodiscard]] Shrunken shrink(Plan plan, const Violation& violation, const RunOptions& options, int tries_max = 400);

}  // namespace carillon::simulation
