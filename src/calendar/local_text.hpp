#pragma once

#include "base/instant.hpp"
#include "calendar/zone.hpp"

#include <cstdint>
#include <string>

namespace carillon {

[[nodiscard]] UtcSecond to_utc_second(Instant instant);
/// `-04:00`; seconds of an old local mean time are left out.
[[nodiscard]] std::string offset_text(std::int64_t offset);
/// RFC 3339 with the zone's offset, always the same instant: `2026-10-30T01:30:00-04:00`.
[[nodiscard]] std::string local_text(Instant instant, const Zone& zone);

}  // namespace carillon
