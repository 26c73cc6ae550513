#include "base/civil.hpp"
#include "calendar/description/describe_parts.hpp"
#include "calendar/description/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace carillon {
namespace {

constexpr std::uint16_t all_months = 0x1ffe;
constexpr std::uint8_t all_weekdays = 0x7f;
constexpr std::uint32_t odd_days = 0xaaaaaaaa;
constexpr std::uint32_t even_days = 0x55555554;
constexpr int leap_year = 2000;
// A day is repeated with each month's name up to this many months.
constexpr int repeated_months_max = 3;

int longest_month(std::uint16_t months) {
  int length = 0;
  for (const int month : values_of(months)) length = std::max(length, days_in_month(leap_year, month));
  return length;
}

/// The two day fields without what changes nothing, so that equal meanings look equal.
struct Days {
  DayRule rule;
  std::uint32_t in_months;  // the days the longest of the months has
  enum class Kind { every_day, of_month, of_week, either, both } kind;
};

DayRule without_redundancy(DayRule rule, std::uint32_t in_months) {
  rule.days &= in_months;
  rule.nearest_weekdays &= in_months;
  rule.days_before_last &= in_months >> 1;
  for (int weekday = 0; weekday < 7; ++weekday) {
    const std::uint64_t every_week = 0x10204081ULL << weekday;
    if ((rule.nth_weekdays & every_week) == every_week) rule.weekdays |= static_cast<std::uint8_t>(1 << weekday);
    if ((rule.weekdays >> weekday & 1) != 0) rule.nth_weekdays &= ~every_week;
  }
  rule.last_weekdays = static_cast<std::uint8_t>(rule.last_weekdays & ~rule.weekdays);
  return rule;
}

Days days_of(const WallRule& rule) {
  const auto in_months = static_cast<std::uint32_t>(mask_between(1, longest_month(rule.months)));
  const DayRule day = without_redundancy(rule.day, in_months);
  const bool has_all_days = day.any_day_of_month || day.days == in_months;
  const bool has_all_weekdays = day.any_day_of_week || day.weekdays == all_weekdays;
  const bool has_no_days =
      (day.days | day.nearest_weekdays | day.days_before_last) == 0 && !day.last_weekday && !day.any_day_of_month;
  const bool is_either = day.either_field_suffices && !day.any_day_of_month && !day.any_day_of_week;
  // The days of the month, too late for the months given, leave the weekdays alone.
  if (is_either && has_no_days && !has_all_weekdays) return {day, in_months, Days::Kind::of_week};
  auto kind = is_either ? Days::Kind::either : Days::Kind::both;
  if (has_all_days && has_all_weekdays) {
    kind = Days::Kind::every_day;
  } else if (has_all_days || has_all_weekdays) {
    kind = is_either ? Days::Kind::every_day : has_all_days ? Days::Kind::of_week : Days::Kind::of_month;
  }
  return {day, in_months, kind};
}

/// How the day phrases name their month: its own name when there is one, else "the month".
struct MonthWords {
  int only = 0;  // the one month, if the phrases name it
  [[nodiscard]] std::string of() const { return only != 0 ? fmt::format("of {}", month_name(only)) : "of the month"; }
};

std::string number_text(int value) { return fmt::format("{}", value); }

std::string days_list(std::uint32_t days, const ValueText& text) {
  return list_text(values_of(days), range_of(CronField::day_of_month), text);
}

std::string plain_days(const Days& days, MonthWords month) {
  const std::uint32_t mask = days.rule.days;
  if (std::popcount(mask) > 2 && mask == (odd_days & days.in_months)) return "on odd days " + month.of();
  if (std::popcount(mask) > 2 && mask == (even_days & days.in_months)) return "on even days " + month.of();
  if (month.only != 0) return fmt::format("on {} {}", days_list(mask, number_text), month_name(month.only));
  const std::string list = days_list(mask, ordinal);
  const bool is_range = spans_of(values_of(mask)).size() == 1 && std::popcount(mask) > 2;
  // Beside weekdays a range is understood, and the shorter text is easier to tell apart from them.
  if (days.kind == Days::Kind::either && is_range) return "on the " + list;
  return fmt::format("on the {} {}", list, month.of());
}

std::string days_before_last(int count, MonthWords month) {
  if (count == 0) return "on the last day " + month.of();
  if (count == 1) return "on the day before the last day " + month.of();
  return fmt::format("{} days before the last day {}", count, month.of());
}

std::string nearest_weekdays(std::uint32_t days, MonthWords month) {
  const std::string noun = std::popcount(days) == 1 ? "weekday" : "weekdays";
  if (month.only != 0)
    return fmt::format("on the {} nearest {} {}", noun, days_list(days, number_text), month_name(month.only));
  return fmt::format("on the {} nearest the {}", noun, days_list(days, ordinal));
}

std::string days_of_month(const Days& days, MonthWords month) {
  std::vector<std::string> parts;
  if (days.rule.days != 0) parts.push_back(plain_days(days, month));
  if (days.rule.nearest_weekdays != 0) parts.push_back(nearest_weekdays(days.rule.nearest_weekdays, month));
  for (const int count : values_of(days.rule.days_before_last)) parts.push_back(days_before_last(count, month));
  if (days.rule.last_weekday) parts.push_back("on the last weekday (Monday to Friday) " + month.of());
  return join(parts);
}

const std::vector<int>& week() {
  static const std::vector<int> days{1, 2, 3, 4, 5, 6, 0};
  return days;
}

CircleText weekdays_text(std::uint8_t weekdays, std::string_view last) {
  return circle_text(weekdays, week(), [](int day) { return std::string{weekday_name(day)}; }, last);
}

/// `the first and third Monday`, weekday by weekday.
std::vector<std::string> counted_weekdays(const DayRule& rule) {
  std::vector<std::string> parts;
  for (const int weekday : week()) {
    std::vector<std::string> which;
    for (int week_of_month = 0; week_of_month < 5; ++week_of_month) {
      if (rule.nth_weekdays >> (7 * week_of_month + weekday) & 1) which.emplace_back(ordinal_word(week_of_month + 1));
    }
    if (rule.last_weekdays >> weekday & 1) which.emplace_back("last");
    if (!which.empty()) parts.push_back(fmt::format("the {} {}", join(which), weekday_name(weekday)));
  }
  return parts;
}

/// The one weekday that six days leave out, unless they are named by their ends as in `Monday to Saturday`.
std::optional<int> left_out_weekday(std::uint8_t weekdays) {
  const auto missing = static_cast<std::uint8_t>(all_weekdays & ~weekdays);
  const bool is_at_weekend = missing == 1 << 0 || missing == 1 << 6;
  if (std::popcount(missing) != 1 || is_at_weekend) return std::nullopt;
  return std::countr_zero(missing);
}

DatesText plain_weekdays(std::uint8_t weekdays) {
  if (const auto missing = left_out_weekday(weekdays))
    return {"every day except " + std::string{weekday_name(*missing)}};
  auto [text, is_range] = weekdays_text(weekdays, "and");
  if (is_range) return {std::move(text), true};
  return {"on " + text};
}

DatesText days_of_week(const DayRule& rule, MonthWords month) {
  const auto counted_days = counted_weekdays(rule);
  if (counted_days.empty()) return plain_weekdays(rule.weekdays);
  std::string text = fmt::format("on {} {}", join(counted_days), month.of());
  if (rule.weekdays == 0) return {std::move(text)};
  const DatesText plain = plain_weekdays(rule.weekdays);
  return {fmt::format("{} and {}", plain.text, text), plain.starts_with_range};
}

std::string alternative_days_of_week(const DayRule& rule) {
  std::vector<std::string> parts;
  if (rule.weekdays != 0) {
    const auto [text, is_range] = weekdays_text(rule.weekdays, "or");
    parts.push_back(fmt::format("on any {}{}", is_range ? "day from " : "", text));
  }
  const auto counted_days = counted_weekdays(rule);
  if (!counted_days.empty()) parts.push_back(fmt::format("on {} of the month", join(counted_days, "or")));
  return join(parts, "or");
}

std::string condition_on_week(const DayRule& rule, MonthWords month) {
  const auto counted_days = counted_weekdays(rule);
  const auto [text, is_range] = weekdays_text(rule.weekdays, "or");
  if (counted_days.empty()) return (is_range ? "if it falls on " : "if it is a ") + text;
  const std::string exact = fmt::format("{} {}", join(counted_days, "or"), month.of());
  if (rule.weekdays == 0) return "if it is " + exact;
  return fmt::format("if it falls on {} or is {}", text, exact);
}

std::string months_text(std::uint16_t months) {
  static const std::vector<int> year{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const ValueText name = [](int month) { return std::string{month_name(month)}; };
  const auto [text, is_range] = circle_text(months, year, name);
  return is_range ? text : list_text(values_of(months), range_of(CronField::month), name);
}

std::string years_text(const WallRule& rule) {
  std::vector<int> years;
  for (std::size_t i = 0; i < rule.years.size(); ++i) {
    if (rule.years[i]) years.push_back(rule_year_min + static_cast<int>(i));
  }
  return list_text(years, {rule_year_min, rule_year_max}, number_text);
}

bool has_plain_days_only(const DayRule& rule) {
  return rule.days != 0 && rule.days_before_last == 0 && rule.nearest_weekdays == 0 && !rule.last_weekday;
}

/// Whether the day phrases can name the one month there is.
bool names_month(const Days& days, std::uint16_t months) {
  if (std::popcount(months) != 1) return false;
  switch (days.kind) {
    case Days::Kind::of_month:
    case Days::Kind::both: return true;
    case Days::Kind::of_week: return days.rule.weekdays == 0;
    case Days::Kind::every_day:
    case Days::Kind::either: return false;
  }
  std::unreachable();
}

/// `on 1 January and 1 July`, for one day in a few months.
std::optional<std::string> repeated_date(const Days& days, std::uint16_t months) {
  const bool is_by_month = days.kind == Days::Kind::of_month || days.kind == Days::Kind::both;
  if (!is_by_month || !has_plain_days_only(days.rule) || std::popcount(days.rule.days) != 1) return std::nullopt;
  if (std::popcount(months) < 2 || std::popcount(months) > repeated_months_max) return std::nullopt;
  std::vector<std::string> dates;
  for (const int month : values_of(months))
    dates.push_back(fmt::format("{} {}", std::countr_zero(days.rule.days), month_name(month)));
  return "on " + join(dates);
}

bool is_leap_day(const Days& days, MonthWords month) {
  return month.only == 2 && has_plain_days_only(days.rule) && days.rule.days == std::uint32_t{1} << 29;
}

/// The day phrases with the month and the years where they belong.
class DatesWriter {
 public:
  explicit DatesWriter(const WallRule& rule)
      : rule_{rule}, days_{days_of(rule)}, names_month_{names_month(days_, rule.months)} {
    if (names_month_) month_.only = std::countr_zero(rule.months);
  }

  [[nodiscard]] DatesText write() const {
    switch (days_.kind) {
      case Days::Kind::every_day: return {months_and_years()};
      case Days::Kind::of_month: return {by_month()};
      case Days::Kind::of_week: return by_week();
      case Days::Kind::both: return {fmt::format("{} {}", by_month(), condition_on_week(days_.rule, month_))};
      case Days::Kind::either: return {either()};
    }
    std::unreachable();
  }

 private:
  [[nodiscard]] std::string by_month() const {
    if (const auto date = repeated_date(days_, rule_.months)) return *date + years_after(" in ");
    std::string text = days_of_month(days_, month_);
    if (is_leap_day(days_, month_) && rule_.any_year) return text + " (leap years only)";
    return text + rest();
  }

  [[nodiscard]] DatesText by_week() const {
    DatesText text = days_of_week(days_.rule, month_);
    const std::string behind = rest();
    if (text.starts_with_range && !behind.empty()) text.text += ",";
    text.text += behind;
    return text;
  }

  [[nodiscard]] std::string either() const {
    std::string before = months_and_years();
    if (!before.empty()) before += ", ";
    return fmt::format("{}{} or {}", before, days_of_month(days_, month_), alternative_days_of_week(days_.rule));
  }

  /// Months and years behind the days, with a leading blank.
  [[nodiscard]] std::string rest() const {
    if (names_month_) return years_after(rule_.years.count() == 1 ? " " : " in ");
    const std::string text = months_and_years();
    return text.empty() ? "" : " " + text;
  }

  [[nodiscard]] std::string months_and_years() const {
    if (rule_.months == all_months) return rule_.any_year ? "" : "in " + years_text(rule_);
    const bool is_one_month = std::popcount(rule_.months) == 1 && rule_.years.count() == 1;
    return "in " + months_text(rule_.months) + years_after(is_one_month ? " " : " of ");
  }

  [[nodiscard]] std::string years_after(std::string_view joint) const {
    return rule_.any_year ? "" : std::string{joint} + years_text(rule_);
  }

  const WallRule& rule_;
  Days days_;
  bool names_month_;
  MonthWords month_;
};

}  // namespace

DatesText describe_dates(const WallRule& rule) {
  DatesText dates = DatesWriter{rule}.write();
  dates.has_days = days_of(rule).kind != Days::Kind::every_day;
  return dates;
}

}  // namespace carillon
