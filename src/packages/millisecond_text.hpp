#pragma once

#include "base/instant.hpp"

#include <string>

namespace carillon::packages {

/// RFC 3339 in UTC, always with milliseconds, as JavaScript writes it: `2026-01-26T14:00:00.000Z`.
[[nodiscard]] std::string text_with_milliseconds(Instant time);

}  // namespace carillon::packages
