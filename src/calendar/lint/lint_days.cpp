#include "base/civil.hpp"
#include "base/quoted.hpp"
#include "calendar/description/describe_parts.hpp"
#include "calendar/description/words.hpp"
#include "calendar/lint/lint_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace carillon {
namespace {

constexpr std::uint8_t all_weekdays = 0x7f;
constexpr std::array<std::string_view, 7> weekday_codes{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

bool are_all_days(const DayRule& day) { return day.days == mask_of(CronField::day_of_month); }

/// 1 to 4 if the days are exactly that week of the month, counted from the 1st.
std::optional<int> week_of(const DayRule& day) {
  for (int week = 1; week <= 4; ++week) {
    if (day.days == mask_between(7 * week - 6, 7 * week)) return week;
  }
  return std::nullopt;
}

std::string both_fields_fix(const LintedRule& rule) {
  const DayRule& day = rule.rule.day;
  if (const auto week = week_of(day); week && day.nth_weekdays == 0 && day.last_weekdays == 0) {
    std::string weekdays;
    for (const int weekday : values_of(day.weekdays)) {
      weekdays +=
          fmt::format("{}{}#{}", weekdays.empty() ? "" : ",", weekday_codes[static_cast<std::size_t>(weekday)], *week);
    }
    LintedRule fixed = rule;
    fixed.texts[static_cast<std::size_t>(CronField::day_of_month)] = "*";
    return fmt::format("for both together write {}", fixed.with(CronField::day_of_week, weekdays));
  }
  return fmt::format(
      "for both together write a calendar with dayOfMonth {} and dayOfWeek {}, or test one of them in the job",
      quoted(rule.text_of(CronField::day_of_month)), quoted(rule.text_of(CronField::day_of_week)));
}

std::string every_day_fix(const LintedRule& rule) {
  const CronField full = are_all_days(rule.rule.day) ? CronField::day_of_month : CronField::day_of_week;
  return fmt::format("write {} to let the other day field decide", rule.with(full, "*"));
}

std::string either_field_message(const LintedRule& rule, const DatesText& dates) {
  if (!dates.has_days) {
    const CronField full = are_all_days(rule.rule.day) ? CronField::day_of_month : CronField::day_of_week;
    return fmt::format("{} runs every day: {} is a restriction too, and either day field suffices", quoted(rule.text),
                       quoted(rule.text_of(full)));
  }
  std::string message = fmt::format("{} means {}, not both together", quoted(rule.text), dates.text);
  if (rule.shape(CronField::day_of_month).starts_with_star || rule.shape(CronField::day_of_week).starts_with_star)
    message += "; vixie cron and cronie read it as both together";
  return message;
}

/// A long run of days that ends with the month, or a pattern all through it, loses nothing when the month is short.
bool runs_to_the_end(std::uint32_t days) {
  constexpr int pattern_length_min = 6;
  if (days == 0) return true;
  const auto pattern = whole_field_progression(days, range_of(CronField::day_of_month));
  return spans_of(values_of(days)).back().first < 28 || (pattern && pattern->count >= pattern_length_min);
}

int highest(std::uint32_t mask) { return 31 - std::countl_zero(mask); }

/// The least number of days a month must have for the latest of the days to exist in it; below 29 all have it.
int needed_length(const DayRule& day) {
  const int from_first = runs_to_the_end(day.days) ? 0 : highest(day.days);
  return std::max({from_first, highest(day.nearest_weekdays), highest(day.days_before_last) + 1});
}

bool are_all_leap_years(const WallRule& rule) {
  for (int year = rule_year_min; year <= rule_year_max; ++year) {
    const bool is_given = rule.any_year || rule.years[static_cast<std::size_t>(year - rule_year_min)];
    if (is_given && !is_leap_year(year)) return false;
  }
  return true;
}

std::string months_without(std::uint16_t months, int length) {
  std::vector<std::string> names;
  for (const int month : values_of(months)) {
    if (days_in_month(2001, month) < length) names.emplace_back(month_name(month));
  }
  return join(names);
}

std::string missing_day(const DayRule& day, int length) {
  const std::uint32_t bit = std::uint32_t{1} << length;
  if (((day.days | day.nearest_weekdays) & bit) != 0) return fmt::format("day {}", length);
  return fmt::format("L-{}", length - 1);
}

std::string short_month_fix(const LintedRule& rule, int length) {
  const DayRule& day = rule.rule.day;
  if (day.days == 0 && day.nearest_weekdays == 0) return "count from the 1st instead of from the last day";
  if (day.nearest_weekdays != 0) return "write LW for the last weekday of the month, or a day up to 28";
  const bool are_last_days = spans_of(values_of(day.days)).size() == 1;
  if (length == 31 && are_last_days)
    return fmt::format("write {} for the last day of the month", rule.with(CronField::day_of_month, "L"));
  return "write L for the last day of the month, or a day up to 28";
}

}  // namespace

void lint_day_fields(const LintedRule& rule, Findings& findings) {
  const DayRule& day = rule.rule.day;
  if (!day.either_field_suffices || day.any_day_of_month || day.any_day_of_week) return;
  if (are_all_days(day) && day.weekdays == all_weekdays) return;
  const DatesText dates = describe_dates(rule.rule);
  findings.push_back({.code = "dom-dow-or",
                      .message = either_field_message(rule, dates),
                      .fix = dates.has_days ? both_fields_fix(rule) : every_day_fix(rule),
                      .at = {},
                      .pointer = rule.pointer});
}

void lint_short_months(const LintedRule& rule, Findings& findings) {
  const DayRule& day = rule.rule.day;
  const bool has_step = rule.text_of(CronField::day_of_month).find('/') != std::string::npos;
  const int length = needed_length(day);
  if (day.any_day_of_month || has_step || length < 29) return;
  if (length == 29 && are_all_leap_years(rule.rule)) return;
  const std::string months = months_without(rule.rule.months, length);
  if (months.empty()) return;
  const std::string_view exception = length == 29 ? " except in leap years" : "";
  findings.push_back({.code = "short-month",
                      .message = fmt::format("{} does not exist in {}{}: nothing runs for it there",
                                             missing_day(day, length), months, exception),
                      .fix = short_month_fix(rule, length),
                      .at = {},
                      .pointer = rule.pointer_to(CronField::day_of_month)});
}

}  // namespace carillon
