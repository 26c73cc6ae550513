#pragma once

#include "calendar/spec.hpp"
#include "oracle/clock.hpp"

#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace carillon::oracle {

/// A day of the calendar, spelled out.
struct Date {
  int year;
  int month;
  int day;
  int weekday;       // 0 = Sunday
  int month_length;  // days in its month
};

/// The date of a day counted from 1970-01-01.
[[nodiscard]] Date date_of(Second day_count);

/// Which wall times a cron line or a calendar means.
struct Pattern {
  std::array<bool, 60> seconds{};
  std::array<bool, 60> minutes{};
  std::array<bool, 24> hours{};
  std::function<bool(const Date&)> matches_date;
  bool follows_clock = false;  // a wildcard of the clock-change rules

  [[nodiscard]] bool matches_time(Second second_of_day) const {
    const auto second = static_cast<std::size_t>(second_of_day);
    return hours[second / 3600] && minutes[second / 60 % 60] && seconds[second % 60];
  }
  [[nodiscard]] bool matches(Second wall) const;
  /// Every second of a day that matches, found by trying them all; ascending.
  [[nodiscard]] std::vector<Second> times_of_day() const;
  /// How far a scan may step without passing a match: a second, or a minute when only second 0 matches.
  [[nodiscard]] Second step() const;
};

/// Both throw std::invalid_argument when they cannot read the text; they are made for correct texts and find only some
/// faults.
[[nodiscard]] Pattern pattern_of_cron(std::string_view text);
[[nodiscard]] Pattern pattern_of_calendar(const Calendar& calendar);

}  // namespace carillon::oracle
