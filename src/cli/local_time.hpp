#pragma once

#include "base/civil.hpp"
#include "base/instant.hpp"
#include "calendar/zone.hpp"

#include <string>
#include <string_view>

namespace carillon {

/// What a wall clock and a calendar on the wall show, to the second.
struct WallTime {
  CivilDate date;
  int weekday;  // 0 = Sunday
  int hour;
  int minute;
  int second;
};

[[nodiscard]] UtcSecond to_utc_second(Instant instant);
[[nodiscard]] WallTime wall_time(WallSecond wall);
[[nodiscard]] WallTime wall_time(Instant instant, const Zone& zone);

/// `Fri`.
[[nodiscard]] std::string_view short_weekday(int weekday);
/// `Fri 30 Oct`, days right-aligned: `Sun  1 Nov`.
[[nodiscard]] std::string date_text(const WallTime& wall);
/// `01:30`, or `01:30:15` when the second is not zero.
[[nodiscard]] std::string clock_text(const WallTime& wall);
/// `-04:00`; seconds of an old local mean time are left out.
[[nodiscard]] std::string offset_text(std::int64_t offset);
/// RFC 3339 with the zone's offset, always the same instant: `2026-10-30T01:30:00-04:00`.
[[nodiscard]] std::string local_text(Instant instant, const Zone& zone);

/// `15h 07m`, `2d 15h`, `4m 09s`, `3.4 years`: two units, cut off.
[[nodiscard]] std::string rough_duration(Duration duration);
/// `in 15h 07m`, `3m 00s ago`, `now`.
[[nodiscard]] std::string relative_text(Instant instant, Instant now);

}  // namespace carillon
