#pragma once

#include "base/civil.hpp"
#include "base/instant.hpp"
#include "calendar/zone.hpp"

#include <string_view>
#include <vector>

namespace carillon::testing {

/// An instant from text that is known to be right.
inline Instant at(std::string_view text) { return parse_instant(text).value(); }

inline UtcSecond second_at(std::string_view text) {
  return std::chrono::floor<std::chrono::seconds>(at(text)).time_since_epoch().count();
}

/// New York with today's rules from 1970 on: forward on the second Sunday of March, back on the first of November, at
/// 02:00.
inline ZonePtr new_york() {
  std::vector<ZoneStretch> stretches{
      {.begin = second_at("1900-01-01T00:00:00Z"), .offset = -5 * 3600, .abbreviation = "EST"}};
  const auto sunday = [](int year, int month, int which) {
    const std::int32_t first = days_from_civil(year, month, 1);
    return (first + (7 - weekday_from_days(first)) % 7 + 7 * (which - 1)) * seconds_per_day;
  };
  for (int year = 1970; year < 2200; ++year) {
    stretches.push_back({.begin = sunday(year, 3, 2) + 7 * 3600, .offset = -4 * 3600, .abbreviation = "EDT"});
    stretches.push_back({.begin = sunday(year, 11, 1) + 6 * 3600, .offset = -5 * 3600, .abbreviation = "EST"});
  }
  return Zone::make("America/New_York", std::move(stretches)).value();
}

/// A zone with one change of offset.
inline ZonePtr zone_with_change(std::string_view when, std::int32_t offset_before, std::int32_t offset_after) {
  return Zone::make("Test/Change",
                    {{.begin = second_at("1900-01-01T00:00:00Z"), .offset = offset_before, .abbreviation = "OLD"},
                     {.begin = second_at(when), .offset = offset_after, .abbreviation = "NEW"}})
      .value();
}

}  // namespace carillon::testing
