#pragma once

#include <cstdint>
#include <optional>

namespace carillon {

// Calendar arithmetic on the proleptic Gregorian calendar. Days are counted from 1970-01-01.
// Plain integers, because these few functions are the inner loop of every time question.

inline constexpr std::int64_t seconds_per_day = 86400;

struct CivilDate {
  int year;
  int month;  // 1–12
  int day;    // 1–31
  friend bool operator==(const CivilDate&, const CivilDate&) = default;
};

[[nodiscard]] constexpr bool is_leap_year(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

[[nodiscard]] constexpr int days_in_month(int year, int month) {
  // 31 for odd months up to July and even ones from August.
  return month == 2 ? (is_leap_year(year) ? 29 : 28) : 30 + ((month ^ (month >> 3)) & 1);
}

/// Days from 1970-01-01 to the given date; years from 1 on.
[[nodiscard]] constexpr std::int32_t days_from_civil(int year, int month, int day) {
  // Years that begin in March put the leap day last, so that day of year is a linear formula.
  const std::uint32_t shifted_year = static_cast<std::uint32_t>(month <= 2 ? year - 1 : year);
  const std::uint32_t shifted_month = static_cast<std::uint32_t>(month <= 2 ? month + 9 : month - 3);
  const std::uint32_t century = shifted_year / 100;
  const std::uint32_t day_of_year = (153 * shifted_month + 2) / 5 + static_cast<std::uint32_t>(day) - 1;
  const std::uint32_t days = 1461 * shifted_year / 4 - century + century / 4 + day_of_year;
  return static_cast<std::int32_t>(days) - 719468;
}

/// The date of a day count; from year 1 on.
[[nodiscard]] constexpr CivilDate civil_from_days(std::int32_t days) {
  const std::uint32_t shifted = static_cast<std::uint32_t>(days + 719468);
  const std::uint32_t quarters = 4 * shifted + 3;
  const std::uint32_t century = quarters / 146097;
  const std::uint32_t quarters_of_century = (quarters % 146097) | 3;
  const std::uint32_t year_of_century = quarters_of_century / 1461;
  const std::uint32_t day_of_year = quarters_of_century % 1461 / 4;
  const std::uint32_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::uint32_t day = day_of_year - (153 * shifted_month + 2) / 5;
  const bool is_next_year = shifted_month >= 10;
  return {.year = static_cast<int>(100 * century + year_of_century + (is_next_year ? 1 : 0)),
          .month = static_cast<int>(is_next_year ? shifted_month - 9 : shifted_month + 3),
          .day = static_cast<int>(day) + 1};
}

/// 0 = Sunday … 6 = Saturday.
[[nodiscard]] constexpr int weekday_from_days(std::int32_t days) {
  // 1970-01-01 was a Thursday; the added multiple of seven keeps the dividend positive from year 1 on.
  return static_cast<int>(static_cast<std::uint32_t>(days + 4 + 7 * 102790) % 7);
}

/// Quotient rounded towards minus infinity, for counts before 1970; the divisor is positive.
[[nodiscard]] constexpr std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return quotient - ((dividend % divisor) < 0 ? 1 : 0);
}

/// The date, if the calendar has it: no 30 February, no month 13, no year 0.
[[nodiscard]] std::optional<CivilDate> checked_date(int year, int month, int day);

}  // namespace carillon
