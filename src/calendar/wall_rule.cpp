#include "calendar/wall_rule.hpp"

#include "base/civil.hpp"

#include <bit>

namespace carillon {
namespace {

constexpr int no_time = static_cast<int>(seconds_per_day);

constexpr std::uint32_t days_up_to(int length) { return (std::uint32_t{2} << length) - 2; }

/// Seven weekdays as a mask that begins with `first` at bit 0.
constexpr std::uint32_t weekdays_from(std::uint32_t weekdays, int first) {
  return ((weekdays | weekdays << 7) >> first) & 0x7f;
}

/// Masks shifted by up to their width, which the language leaves undefined.
template <typename Mask>
constexpr Mask bits_from(Mask mask, int bit) {
  return bit >= std::numeric_limits<Mask>::digits ? Mask{0} : static_cast<Mask>(mask >> bit << bit);
}
template <typename Mask>
constexpr Mask bits_up_to(Mask mask, int bit) {
  return bit < 0 ? Mask{0}
                 : static_cast<Mask>(
                       mask & (std::numeric_limits<Mask>::max() >> (std::numeric_limits<Mask>::digits - 1 - bit)));
}
template <typename Mask>
constexpr int lowest(Mask mask) {
  return std::countr_zero(mask);
}
template <typename Mask>
constexpr int highest(Mask mask) {
  return std::numeric_limits<Mask>::digits - 1 - std::countl_zero(mask);
}

constexpr int second_of_day(int hour, int minute, int second) { return hour * 3600 + minute * 60 + second; }

int first_time(const WallRule& rule) {
  return second_of_day(lowest(rule.hours), lowest(rule.minutes), lowest(rule.seconds));
}
int last_time(const WallRule& rule) {
  return second_of_day(highest(rule.hours), highest(rule.minutes), highest(rule.seconds));
}

/// The first time of day at or after `from`, or no_time.
int time_at_or_after(const WallRule& rule, int from) {
  const int hour = from / 3600;
  const int minute = from / 60 % 60;
  if (rule.hours >> hour & 1) {
    if (rule.minutes >> minute & 1) {
      if (const auto seconds = bits_from(rule.seconds, from % 60)) return second_of_day(hour, minute, lowest(seconds));
    }
    if (const auto minutes = bits_from(rule.minutes, minute + 1)) {
      return second_of_day(hour, lowest(minutes), lowest(rule.seconds));
    }
  }
  const auto hours = bits_from(rule.hours, hour + 1);
  return hours == 0 ? no_time : second_of_day(lowest(hours), lowest(rule.minutes), lowest(rule.seconds));
}

/// The last time of day at or before `from`, or no_time.
int time_at_or_before(const WallRule& rule, int from) {
  const int hour = from / 3600;
  const int minute = from / 60 % 60;
  if (rule.hours >> hour & 1) {
    if (rule.minutes >> minute & 1) {
      if (const auto seconds = bits_up_to(rule.seconds, from % 60))
        return second_of_day(hour, minute, highest(seconds));
    }
    if (const auto minutes = bits_up_to(rule.minutes, minute - 1)) {
      return second_of_day(hour, highest(minutes), highest(rule.seconds));
    }
  }
  const auto hours = bits_up_to(rule.hours, hour - 1);
  return hours == 0 ? no_time : second_of_day(highest(hours), highest(rule.minutes), highest(rule.seconds));
}

bool matches_year(const WallRule& rule, int year) {
  return rule.any_year || rule.years[static_cast<std::size_t>(year - rule_year_min)];
}

/// The matching days of a month, empty unless month and year match.
std::uint32_t days_in(const WallRule& rule, int year, int month, std::int32_t first_day) {
  if (!(rule.months >> month & 1) || !matches_year(rule, year)) return 0;
  return rule.day.days_of_month(days_in_month(year, month), weekday_from_days(first_day));
}

std::uint32_t days_in(const WallRule& rule, int year, int month) {
  return days_in(rule, year, month, days_from_civil(year, month, 1));
}

WallSecond at(int year, int month, int day, int time) {
  return days_from_civil(year, month, day) * seconds_per_day + time;
}

constexpr WallSecond wall_min = days_from_civil(rule_year_min, 1, 1) * seconds_per_day;
constexpr WallSecond wall_max = days_from_civil(rule_year_max + 1, 1, 1) * seconds_per_day - 1;

/// The first matching day in the months after the given one.
WallSecond first_in_later_months(const WallRule& rule, int year, int month) {
  while (true) {
    const auto months = static_cast<std::uint16_t>(bits_from(rule.months, month + 1));
    if (months != 0) {
      month = lowest(months);
    } else {
      do {
        if (++year > rule_year_max) return WallRule::none;
      } while (!matches_year(rule, year));
      month = lowest(rule.months);
    }
    if (const auto days = days_in(rule, year, month)) return at(year, month, lowest(days), first_time(rule));
  }
}

WallSecond last_in_earlier_months(const WallRule& rule, int year, int month) {
  while (true) {
    const auto months = bits_up_to(rule.months, month - 1);
    if (months != 0) {
      month = highest(months);
    } else {
      do {
        if (--year < rule_year_min) return WallRule::none;
      } while (!matches_year(rule, year));
      month = highest(rule.months);
    }
    if (const auto days = days_in(rule, year, month)) return at(year, month, highest(days), last_time(rule));
  }
}

bool has_no_times(const WallRule& rule) {
  return rule.seconds == 0 || rule.minutes == 0 || rule.hours == 0 || rule.months == 0;
}

}  // namespace

std::uint32_t DayRule::days_of_month(int length, int first_weekday) const {
  std::uint32_t by_month = any_day_of_month ? ~std::uint32_t{0} : days;
  for (std::uint32_t left = days_before_last; left != 0; left &= left - 1) {
    if (const int day = length - lowest(left); day >= 1) by_month |= std::uint32_t{1} << day;
  }
  if (nearest_weekdays != 0 || last_weekday) {
    const auto weekday = [&](int day) { return (first_weekday + day - 1) % 7; };
    for (std::uint32_t left = nearest_weekdays & days_up_to(length); left != 0; left &= left - 1) {
      int day = lowest(left);
      if (weekday(day) == 6)
        day = day > 1 ? day - 1 : day + 2;
      else if (weekday(day) == 0)
        day = day < length ? day + 1 : day - 2;
      by_month |= std::uint32_t{1} << day;
    }
    if (last_weekday) {
      const int day = weekday(length) == 6 ? length - 1 : weekday(length) == 0 ? length - 2 : length;
      by_month |= std::uint32_t{1} << day;
    }
  }
  std::uint32_t by_week = ~std::uint32_t{0};
  if (!any_day_of_week) {
    // Five weeks side by side; bit n is day n.
    std::uint64_t weeks = std::uint64_t{weekdays_from(weekdays, first_weekday)} * 0x10204081ULL;
    for (int week = 0; nth_weekdays >> (7 * week) != 0; ++week) {
      weeks |=
          std::uint64_t{weekdays_from(static_cast<std::uint32_t>(nth_weekdays >> (7 * week)) & 0x7f, first_weekday)}
          << (7 * week);
    }
    if (last_weekdays != 0) {
      weeks |= std::uint64_t{weekdays_from(last_weekdays, (first_weekday + length) % 7)} << (length - 7);
    }
    by_week = static_cast<std::uint32_t>(weeks << 1);
  }
  const bool is_either = either_field_suffices && !any_day_of_month && !any_day_of_week;
  return (is_either ? by_month | by_week : by_month & by_week) & days_up_to(length);
}

WallSecond WallRule::first_at_or_after(WallSecond from) const {
  if (from > wall_max || has_no_times(*this)) return none;
  if (from < wall_min) from = wall_min;
  const std::int64_t day_count = floor_divide(from, seconds_per_day);
  const int time = time_at_or_after(*this, static_cast<int>(from - day_count * seconds_per_day));
  if (is_every_date()) {
    const WallSecond found =
        time != no_time ? day_count * seconds_per_day + time : (day_count + 1) * seconds_per_day + first_time(*this);
    return found > wall_max ? none : found;
  }
  const CivilDate date = civil_from_days(static_cast<std::int32_t>(day_count));
  const auto first_day = static_cast<std::int32_t>(day_count) - date.day + 1;
  const std::uint32_t days = days_in(*this, date.year, date.month, first_day);
  if (time != no_time && (days >> date.day & 1)) return day_count * seconds_per_day + time;
  if (const auto later = bits_from(days, date.day + 1)) {
    return (first_day + lowest(later) - 1) * seconds_per_day + first_time(*this);
  }
  return first_in_later_months(*this, date.year, date.month);
}

WallSecond WallRule::last_at_or_before(WallSecond from) const {
  if (from < wall_min || has_no_times(*this)) return none;
  if (from > wall_max) from = wall_max;
  const std::int64_t day_count = floor_divide(from, seconds_per_day);
  const int time = time_at_or_before(*this, static_cast<int>(from - day_count * seconds_per_day));
  if (is_every_date()) {
    const WallSecond found =
        time != no_time ? day_count * seconds_per_day + time : (day_count - 1) * seconds_per_day + last_time(*this);
    return found < wall_min ? none : found;
  }
  const CivilDate date = civil_from_days(static_cast<std::int32_t>(day_count));
  const auto first_day = static_cast<std::int32_t>(day_count) - date.day + 1;
  const std::uint32_t days = days_in(*this, date.year, date.month, first_day);
  if (time != no_time && (days >> date.day & 1)) return day_count * seconds_per_day + time;
  if (const auto earlier = bits_up_to(days, date.day - 1)) {
    return (first_day + highest(earlier) - 1) * seconds_per_day + last_time(*this);
  }
  return last_in_earlier_months(*this, date.year, date.month);
}

bool WallRule::matches_day(std::int32_t day_count) const {
  const CivilDate date = civil_from_days(day_count);
  if (date.year < rule_year_min || date.year > rule_year_max) return false;
  return days_in(*this, date.year, date.month, day_count - date.day + 1) >> date.day & 1;
}

bool WallRule::matches_time_of_day(int second_of_day) const {
  return (hours >> (second_of_day / 3600) & 1) && (minutes >> (second_of_day / 60 % 60) & 1) &&
         (seconds >> (second_of_day % 60) & 1);
}

bool WallRule::matches(WallSecond wall) const {
  const std::int64_t day_count = floor_divide(wall, seconds_per_day);
  return matches_time_of_day(static_cast<int>(wall - day_count * seconds_per_day)) &&
         matches_day(static_cast<std::int32_t>(day_count));
}

std::uint32_t WallRule::times_per_day() const {
  return static_cast<std::uint32_t>(std::popcount(seconds) * std::popcount(minutes) * std::popcount(hours));
}

bool WallRule::is_whole_day() const { return times_per_day() == seconds_per_day; }

bool WallRule::can_match() const {
  if (has_no_times(*this)) return false;
  if (!any_year) return first_at_or_after(wall_min) != none;
  // Every length and first weekday a month can have.
  for (std::uint32_t left = months; left != 0; left &= left - 1) {
    const int month = lowest(left);
    const int longest = days_in_month(2000, month);
    for (int length = month == 2 ? 28 : longest; length <= longest; ++length) {
      for (int first_weekday = 0; first_weekday < 7; ++first_weekday) {
        if (day.days_of_month(length, first_weekday) != 0) return true;
      }
    }
  }
  return false;
}

}  // namespace carillon
