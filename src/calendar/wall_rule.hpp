#pragma once

#include "calendar/zone.hpp"

#include <bitset>
#include <cstdint>
#include <limits>

namespace carillon {

/// Wall clocks of the years 1900 to 2199 show a day more at either end, depending on the zone.
inline constexpr int rule_year_min = 1899;
inline constexpr int rule_year_max = 2200;

/// Which days of a month match: the meaning of the two day fields. All masks: bit n stands for value n.
struct DayRule {
  // Day of month.
  std::uint32_t days = 0;              // 1–31
  std::uint32_t days_before_last = 0;  // bit 0 = `L`, bit n = `L-n`
  std::uint32_t nearest_weekdays = 0;  // bit n = `nW`
  bool last_weekday = false;           // `LW`
  bool any_day_of_month = false;       // `*`, `?`, `*/1`

  // Day of week, 0 = Sunday.
  std::uint8_t weekdays = 0;
  std::uint8_t last_weekdays = 0;  // bit n = `nL`, `n#L`
  std::uint64_t nth_weekdays = 0;  // bit 7·(k−1)+n = `n#k`
  bool any_day_of_week = false;

  bool either_field_suffices = false;  // cron: both restricted means OR; a calendar ANDs

  [[nodiscard]] bool is_every_day() const { return any_day_of_month && any_day_of_week; }

  /// The matching days of a month as a mask, bit n = day n. `first_weekday` is the weekday of the 1st.
  [[nodiscard]] std::uint32_t days_of_month(int length, int first_weekday) const;

  friend bool operator==(const DayRule&, const DayRule&) = default;
};

/// A set of wall times: seconds × minutes × hours on the matching days. What a cron line or a calendar means before
/// any time zone comes in.
struct WallRule {
  std::uint64_t seconds = 1;
  std::uint64_t minutes = 1;
  std::uint32_t hours = 1;
  std::uint16_t months = 0x1ffe;  // bits 1–12
  DayRule day;
  bool any_year = true;
  std::bitset<rule_year_max - rule_year_min + 1> years;  // bit 0 = rule_year_min; looked at unless any_year

  /// No such time within the years of the calendar.
  static constexpr WallSecond none = std::numeric_limits<WallSecond>::max();

  /// The first matching wall time at or after `from`, or `none`.
  [[nodiscard]] WallSecond first_at_or_after(WallSecond from) const;
  /// The last matching wall time at or before `from`, or `none`.
  [[nodiscard]] WallSecond last_at_or_before(WallSecond from) const;
  [[nodiscard]] bool matches(WallSecond wall) const;
  [[nodiscard]] bool matches_day(std::int32_t day_count) const;
  [[nodiscard]] bool matches_time_of_day(int second_of_day) const;
  /// How many times match on a day that matches.
  [[nodiscard]] std::uint32_t times_per_day() const;
  /// Whether every time of a matching day matches.
  [[nodiscard]] bool is_whole_day() const;
  /// Whether every date matches.
  [[nodiscard]] bool is_every_date() const { return day.is_every_day() && months == 0x1ffe && any_year; }
  /// Whether any wall time at all matches.
  [[nodiscard]] bool can_match() const;

  friend bool operator==(const WallRule&, const WallRule&) = default;
};

}  // namespace carillon
