#pragma once

#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace carillon {

/// The times of a crontab line as cron reads them. All masks: bit n stands for value n. Made without the calendar's
/// code, so that the two readings can be held against each other.
struct CronTimes {
  std::uint64_t minutes = 0;
  std::uint32_t hours = 0;
  std::uint32_t days_of_month = 0;
  std::uint32_t months = 0;
  std::uint32_t weekdays = 0;  // 0 = Sunday

  // Cron looks at a field's first character only: `*/2` and `*,5` count as stars.
  bool has_minute_star = false;
  bool has_hour_star = false;
  bool has_day_of_month_star = false;
  bool has_weekday_star = false;

  /// Follows the clock when it changes; all others start once for each time.
  [[nodiscard]] bool is_wildcard() const { return has_minute_star || has_hour_star; }
  /// With a star in either day field, both must match; else one is enough.
  [[nodiscard]] bool needs_both_days() const { return has_day_of_month_star || has_weekday_star; }
  /// Days are counted from 1970-01-01.
  [[nodiscard]] bool matches_day(std::int32_t day) const;
  friend bool operator==(const CronTimes&, const CronTimes&) = default;
};

/// The times of a line, and how the same is written for carillon.
struct CrontabTimes {
  CronTimes times;
  std::array<std::string, 5> fields;  // as written, but for what only cron reads
  bool has_random_value = false;      // `~`: the value was chosen here
};

/// Reads minute, hour, day of month, month and day of week by cron's grammar, which is narrower than carillon's. `seed`
/// decides what `~` chooses: equal seeds choose the same.
[[nodiscard]] Result<CrontabTimes> parse_crontab_times(const std::array<std::string_view, 5>& fields,
                                                       std::string_view seed);

/// The five fields of `@daily` and its like, in lower case as cron wants them; empty for all other words.
[[nodiscard]] std::string_view fields_of_nickname(std::string_view nickname);

}  // namespace carillon
