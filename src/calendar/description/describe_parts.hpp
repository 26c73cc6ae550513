#pragma once

#include "calendar/wall_rule.hpp"

#include <string>

namespace carillon {

/// When in the day: `At 09:00 and 17:30`, `Every 15 minutes from 09:00 through 17:45`.
struct TimesText {
  std::string text;
  bool names_times = false;  // single times, which read better with "every day" behind them
};
[[nodiscard]] TimesText describe_times(const WallRule& rule);

/// On which days: `on the 13th of the month or on any Friday`, `Monday to Friday`, `in June`; empty for every day.
struct DatesText {
  std::string text;
  bool starts_with_range = false;  // `Monday to Friday`: set off by a comma, or by "on"
  bool has_days = false;           // more than months and years
};
[[nodiscard]] DatesText describe_dates(const WallRule& rule);

/// All of a rule: `At 09:00, Monday to Friday`.
[[nodiscard]] std::string describe_rule(const WallRule& rule);
/// A rule as what is left out: `on 25 December`, `from 12:00 through 12:59 every day`.
[[nodiscard]] std::string describe_exclusion(const WallRule& rule);

/// The minutes of a day that a rule touches, as windows: `from 12:00 through 12:59`; empty if there are too many.
[[nodiscard]] std::string describe_windows(const WallRule& rule);

}  // namespace carillon
