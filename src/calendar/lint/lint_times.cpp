#include "calendar/description/words.hpp"
#include "calendar/lint/lint_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace carillon {
namespace {

/// `*` or `*/1`.
bool is_star(const LintedRule& rule, CronField field, std::uint64_t values) {
  return rule.shape(field).starts_with_star && values == mask_of(field);
}

bool are_apart(std::uint32_t hours) { return (hours & hours << 1) == 0; }

void lint_minute_star(const LintedRule& rule, Findings& findings) {
  // Hours side by side are a window, in which every minute is likely meant.
  if (!is_star(rule, CronField::minute, rule.rule.minutes) || !are_apart(rule.rule.hours)) return;
  const int runs = 60 * std::popcount(rule.rule.seconds);
  const std::string hours = list_text(values_of(rule.rule.hours), range_of(CronField::hour),
                                      [](int hour) { return fmt::format("{}", hour); });
  const bool is_one_hour = std::popcount(rule.rule.hours) == 1;
  findings.push_back({.code = "minute-star-hour",
                      .message = fmt::format("* in the minute field runs {} times in {} {}", runs,
                                             is_one_hour ? "hour" : "each of the hours", hours),
                      .fix = fmt::format("write {} to run at minute 0 only", rule.with(CronField::minute, "0")),
                      .at = {},
                      .pointer = rule.pointer_to(CronField::minute)});
}

void lint_every_second(const LintedRule& rule, Findings& findings) {
  if (!rule.is_cron || !rule.has_seconds || !is_star(rule, CronField::second, rule.rule.seconds)) return;
  findings.push_back({.code = "every-second",
                      .message = "six fields begin with the seconds: * there runs every second of each matching minute",
                      .fix = fmt::format("write {} to run once a minute", rule.with(CronField::second, "0")),
                      .at = {},
                      .pointer = rule.pointer});
}

}  // namespace

void lint_times(const LintedRule& rule, Findings& findings) {
  lint_minute_star(rule, findings);
  lint_every_second(rule, findings);
}

}  // namespace carillon
