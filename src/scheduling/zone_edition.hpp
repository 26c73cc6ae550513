#pragma once

#include "engine/keys.hpp"

#include <string_view>

namespace carillon {

/// The edition of a tzdata version such as `2026b`. A version that is not named so (`unknown`) counts as older than
/// every release.
[[nodiscard]] ZoneEdition zone_edition(std::string_view version);

}  // namespace carillon
