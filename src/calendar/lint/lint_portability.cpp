#include "base/quoted.hpp"
#include "calendar/cron_field.hpp"
#include "calendar/description/words.hpp"
#include "calendar/lint/lint_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace carillon {
namespace {

constexpr std::array<CronField, 6> cron_fields{CronField::second,       CronField::minute, CronField::hour,
                                               CronField::day_of_month, CronField::month,  CronField::day_of_week};

constexpr std::string_view keep_fix = "keep it if the expression is for carillon alone";

void report(const LintedRule& rule, std::string message, std::string fix, Findings& findings) {
  findings.push_back({.code = "not-portable",
                      .message = std::move(message),
                      .fix = std::move(fix),
                      .at = {},
                      .pointer = rule.pointer});
}

/// `5/15` → `5-59/15`, in a list too.
std::string with_ends(std::string_view text, CronField field) {
  std::string out;
  while (!text.empty()) {
    const auto item = text.substr(0, text.find(','));
    const auto slash = item.find('/');
    const bool is_open =
        slash != std::string_view::npos && item[0] != '*' && item[0] != '?' && item.find('-') == std::string_view::npos;
    out += out.empty() ? "" : ",";
    out += is_open ? fmt::format("{}-{}{}", item.substr(0, slash), range_of(field).max, item.substr(slash))
                   : std::string{item};
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return out;
}

void lint_open_steps(const LintedRule& rule, Findings& findings) {
  for (const CronField field : cron_fields) {
    if (!rule.shape(field).has_open_step) continue;
    report(rule,
           fmt::format("a start with a step, as in {}, is refused by vixie cron, cronie, php's cron-expression and, "
                       "unless told otherwise, croner",
                       quoted(rule.text_of(field))),
           fmt::format("write {}", rule.with(field, with_ends(rule.text_of(field), field))), findings);
  }
}

void lint_question_marks(const LintedRule& rule, Findings& findings) {
  for (const CronField field : {CronField::day_of_month, CronField::day_of_week}) {
    if (!rule.shape(field).is_question_mark) continue;
    report(rule, "? is refused by vixie cron, cronie, croniter, APScheduler and fugit",
           rule.text_of(field) == "?" ? fmt::format("write {}", rule.with(field, "*")) : "write * for ?", findings);
  }
}

void lint_weekday_numbers(const LintedRule& rule, Findings& findings) {
  const FieldShape& shape = rule.shape(CronField::day_of_week);
  if (shape.has_seven) {
    report(rule, "7 for Sunday is refused by robfig/cron, APScheduler and croncpp, and means Saturday in Quartz",
           "write 0 or SUN for Sunday", findings);
  }
  if (shape.has_wrapping_range) {
    report(rule,
           fmt::format("a range over the end of the week, as in {}, is refused by cron-parser, robfig/cron, cronexpr, "
                       "croncpp and Temporal, and means other days in php's cron-expression",
                       quoted(rule.text_of(CronField::day_of_week))),
           "list the days one by one", findings);
  }
}

void lint_day_extensions(const LintedRule& rule, Findings& findings) {
  const DayRule& day = rule.rule.day;
  if (day.days_before_last != 0)
    report(rule, "L is refused by vixie cron, cronie, robfig/cron and Temporal", std::string{keep_fix}, findings);
  if (day.nearest_weekdays != 0 || day.last_weekday) {
    report(rule,
           "W is refused by vixie cron, cronie, robfig/cron, cron-parser, croniter, APScheduler, fugit and Temporal",
           std::string{keep_fix}, findings);
  }
  if (day.nth_weekdays != 0) {
    report(rule,
           "# is refused by vixie cron, cronie and robfig/cron; Temporal takes it for a comment and runs every week",
           std::string{keep_fix}, findings);
  }
  if (day.last_weekdays != 0) {
    report(rule,
           "L behind a weekday is refused by vixie cron, cronie, robfig/cron, croniter, fugit and Temporal, and "
           "weekday numbers mean another day in Quartz",
           std::string{keep_fix}, findings);
  }
}

/// The weekdays a field names by numbers, whatever its form.
std::uint8_t weekdays_named(const DayRule& day) {
  std::uint64_t weekdays = day.weekdays | day.last_weekdays;
  for (int week = 0; week < 5; ++week) weekdays |= day.nth_weekdays >> (7 * week);
  return static_cast<std::uint8_t>(weekdays & 0x7f);
}

std::string names_of(std::uint8_t weekdays) {
  std::vector<std::string> names;
  for (const int weekday : values_of(weekdays)) names.emplace_back(weekday_name(weekday));
  return join(names);
}

void lint_quartz_weekdays(const LintedRule& rule, Findings& findings) {
  const std::string& text = rule.text_of(CronField::day_of_week);
  const FieldShape& shape = rule.shape(CronField::day_of_week);
  if (!rule.shape(CronField::day_of_month).is_question_mark || shape.has_name || shape.starts_with_star) return;
  if (rule.rule.day.any_day_of_week || shape.is_question_mark) return;
  // Quartz has no 0, so that Sunday can only have been written as 7.
  const std::uint8_t here = weekdays_named(rule.rule.day);
  if ((here & 1) != 0 && !shape.has_seven) return;
  const auto there = static_cast<std::uint8_t>((here >> 1 | here << 6) & 0x7f);
  findings.push_back({.code = "quartz-weekday",
                      .message = fmt::format("{} with ? looks like Quartz, where it is {}; here it is {}", quoted(text),
                                             names_of(there), names_of(here)),
                      .fix = "write the names of the days, like MON-FRI",
                      .at = {},
                      .pointer = rule.pointer});
}

}  // namespace

void lint_portability(const LintedRule& rule, Findings& findings) {
  if (!rule.is_cron) return;
  lint_open_steps(rule, findings);
  lint_question_marks(rule, findings);
  lint_weekday_numbers(rule, findings);
  lint_day_extensions(rule, findings);
  lint_quartz_weekdays(rule, findings);
}

}  // namespace carillon
