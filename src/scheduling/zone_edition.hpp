#pragma once

#include "engine/keys.hpp"

#include <string_view>

namespace carillon {

/// The edition that tzdata calls `2026b`. What is not named so (`unknown`) is older than every release.
[[nodiscard]] ZoneEdition zone_edition(std::string_view version);

}  // namespace carillon
