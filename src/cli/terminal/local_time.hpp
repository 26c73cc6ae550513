#pragma once

#include "base/civil.hpp"
#include "base/instant.hpp"
#include "calendar/local_text.hpp"
#include "calendar/zone.hpp"

#include <string>
#include <string_view>

namespace carillon::cli {

/// What a wall clock and a calendar on the wall show, to the second.
struct WallTime {
  CivilDate date;
  int weekday;  // 0 = Sunday
  int hour;
  int minute;
  int second;
};

[[nodiscard]] WallTime wall_time(WallSecond wall);
[[nodiscard]] WallTime wall_time(Instant instant, const Zone& zone);

/// `Fri`.
[[nodiscard]] std::string_view short_weekday(int weekday);
/// `Fri 30 Oct`, days right-aligned: `Sun  1 Nov`.
[[nodiscard]] std::string date_text(const WallTime& wall);
/// `01:30`, or `01:30:15` when the second is not zero.
[[nodiscard]] std::string clock_text(const WallTime& wall);

/// `15h07m`, `2d15h`, `4m09s`, `3.4 years`: two units, cut off.
[[nodiscard]] std::string rough_duration(Duration duration);
/// `in 15h07m`, `3m00s ago`, `now`.
[[nodiscard]] std::string relative_text(Instant instant, Instant now);

}  // namespace carillon::cli
