#pragma once

#include "base/error.hpp"
#include "base/instant.hpp"
#include "calendar/zone.hpp"

#include <string_view>

namespace carillon::cli {

/// On which side of now a text is meant that does not say so itself. `2h` is ahead of now for future, else so long ago.
/// A clock alone, `09:00`, is the newest that has been for past, the next one for future, today's for either.
enum class TimeSide { past, future, either };

/// A time of the command line, the same for every command: `now`; a length from now, `2h`, `+5m` (ahead), `-5m` (ago);
/// a clock, `02:43`; a day, `today`, `tomorrow 09:00`, `yesterday`; a date and perhaps a clock in the zone,
/// `2027-03-14`, `2027-03-14 02:30`, `…:15`; RFC 3339. A skipped wall time is the end of the gap, a repeated one its
/// first pass.
[[nodiscard]] Result<Instant> time_value(std::string_view flag, std::string_view text, const Zone& zone, TimeSide side,
                                         Instant now);

/// Whether such a text means another instant in another zone.
[[nodiscard]] bool depends_on_zone(std::string_view text);

}  // namespace carillon::cli
