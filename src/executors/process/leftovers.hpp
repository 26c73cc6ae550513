#pragma once

#include "executors/process/program.hpp"

#include <set>

namespace carillon {

/// Ends, by force, every process of this machine that carries one of these marks, as far as we may look at and signal
/// it. For what a launcher left that could not clear up after itself.
void end_marked(const std::set<LaunchTag>& marks);

}  // namespace carillon
