#include "base/quoted.hpp"
#include "calendar/description/words.hpp"
#include "calendar/lint/lint_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace carillon {
namespace {

/// How the checks speak about a field: its unit, what it turns in, and the unit of an interval that keeps its steps.
struct FieldWords {
  CronField field;
  std::string_view unit;
  std::string_view turn;
  std::string_view interval_unit;  // empty: no interval does
};
constexpr std::array<FieldWords, 6> fields{{{CronField::second, "second", "minute", "s"},
                                            {CronField::minute, "minute", "hour", "m"},
                                            {CronField::hour, "hour", "day", "h"},
                                            {CronField::day_of_month, "day", "month", "d"},
                                            {CronField::month, "month", "year", ""},
                                            {CronField::day_of_week, "day", "week", "d"}}};

std::uint64_t values_in(const WallRule& rule, CronField field) {
  switch (field) {
    case CronField::second: return rule.seconds;
    case CronField::minute: return rule.minutes;
    case CronField::hour: return rule.hours;
    case CronField::day_of_month: return rule.day.days;
    case CronField::month: return rule.months;
    case CronField::day_of_week: return rule.day.weekdays;
    case CronField::year: return 0;
  }
  std::unreachable();
}

std::string value_text(CronField field, int value) {
  if (field == CronField::month) return std::string{month_name(value)};
  if (field == CronField::day_of_week) return std::string{weekday_name(value)};
  if (field == CronField::day_of_month) return "the " + ordinal(value);
  return fmt::format("{} {}", to_text(field), value);
}

/// A field that is one item with a step.
struct Step {
  std::string_view start;  // before the slash
  int step;
};

std::optional<Step> step_of(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || text.find(',') != std::string_view::npos) return std::nullopt;
  int step = 0;
  for (const char digit : text.substr(slash + 1)) step = step * 10 + (digit - '0');
  return step > 1 ? std::optional{Step{text.substr(0, slash), step}} : std::nullopt;
}

/// Whether the step is meant to go on for ever: a range with an end of its own says where it stops.
bool is_open(Step step, FieldRange range) {
  return step.start.find('-') == std::string_view::npos || step.start == fmt::format("{}-{}", range.min, range.max);
}

std::string interval_fix(const FieldWords& words, int step) {
  if (words.interval_unit.empty()) return fmt::format("list the {}s that are meant", words.unit);
  return fmt::format("for every {} exactly write an interval, like every: {}{}", counted(step, words.unit), step,
                     words.interval_unit);
}

void report_once(const LintedRule& rule, const FieldWords& words, int only, Findings& findings) {
  findings.push_back(
      {.code = "step-once",
       .message = fmt::format("{} in the {} field matches once {} {}: {}", quoted(rule.text_of(words.field)),
                              to_text(words.field), words.turn == "hour" ? "an" : "a", words.turn,
                              value_text(words.field, only)),
       .fix = fmt::format("write {}", rule.with(words.field, fmt::format("{}", only))),
       .at = {},
       .pointer = rule.pointer_to(words.field)});
}

void report_uneven(const LintedRule& rule, const FieldWords& words, int step, std::string why, Findings& findings) {
  findings.push_back(
      {.code = "uneven-step",
       .message = fmt::format("{} in the {} field is not every {}: {}", quoted(rule.text_of(words.field)),
                              to_text(words.field), counted(step, words.unit), why),
       .fix = interval_fix(words, step),
       .at = {},
       .pointer = rule.pointer_to(words.field)});
}

void lint_step(const LintedRule& rule, const FieldWords& words, Findings& findings) {
  const auto step = step_of(rule.text_of(words.field));
  const std::uint64_t values = values_in(rule.rule, words.field);
  if (!step || values == 0) return;
  const FieldRange range = range_of(words.field);
  const int size = range.max - range.min + 1;
  if (std::popcount(values) == 1) {
    if (step->start == "*" && step->step > size)
      report_uneven(rule, words, step->step, fmt::format("it begins anew with every {}", words.turn), findings);
    report_once(rule, words, std::countr_zero(values), findings);
    return;
  }
  const auto progression = whole_field_progression(values, range);
  if (!progression || !is_open(*step, range) || is_even(*progression, range)) return;
  const int rest = range.max - progression->last + progression->first - range.min + 1;
  report_uneven(rule, words, step->step,
                fmt::format("from {} to {} it is {}", value_text(words.field, progression->last),
                            value_text(words.field, progression->first), counted(rest, words.unit)),
                findings);
}

}  // namespace

void lint_steps(const LintedRule& rule, Findings& findings) {
  for (const FieldWords& words : fields) lint_step(rule, words, findings);
}

}  // namespace carillon
