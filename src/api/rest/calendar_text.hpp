#pragma once

#include "service/timeline.hpp"

#include <span>
#include <string>

namespace carillon::rest {

/// Planned starts as a calendar (RFC 5545), for programs that show one. `now` is when it was made.
[[nodiscard]] std::string calendar_text(std::span<const CalendarEntry> entries, Instant now);

}  // namespace carillon::rest
