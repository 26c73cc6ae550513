#pragma once

#include "calendar/zone.hpp"

#include <string>
#include <vector>

namespace carillon::oracle {

/// Every zone name of the system's tzdata that carillon accepts, in order.
[[nodiscard]] const std::vector<std::string>& zone_names();

/// Fails hard when there is no such zone.
[[nodiscard]] ZonePtr zone_of(const std::string& name);

}  // namespace carillon::oracle
