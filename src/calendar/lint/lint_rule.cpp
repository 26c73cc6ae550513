#include "calendar/lint/lint_rule.hpp"

#include "base/quoted.hpp"
#include "calendar/calendar_rule.hpp"
#include "calendar/cron_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace carillon {
namespace {

constexpr std::size_t first_field(bool has_seconds) { return has_seconds ? 0 : 1; }

}  // namespace

LintedRule LintedRule::of(const Cron& cron, std::string pointer) {
  LintedRule linted{.rule = cron.rule,
                    .shapes = {},
                    .texts = {},
                    .text = cron.text,
                    .pointer = std::move(pointer),
                    .is_cron = true,
                    .has_seconds = cron.has_seconds,
                    .is_wildcard = cron.is_wildcard()};
  std::ranges::copy(cron.shape, linted.shapes.begin());
  if (cron.is_alias) return linted;
  std::istringstream words{cron.text};
  for (std::size_t field = first_field(cron.has_seconds); field < cron.shape.size(); ++field) {
    words >> linted.texts[field];
  }
  return linted;
}

Result<LintedRule> LintedRule::of(const Calendar& calendar, std::string pointer) {
  LintedRule linted{
      .rule = empty_calendar_rule(), .shapes = {}, .texts = {}, .text = {}, .pointer = std::move(pointer)};
  for (const CalendarMember& member : calendar_members) {
    const auto index = static_cast<std::size_t>(member.field);
    const CalendarField& value = calendar.*member.value;
    linted.shapes[index] = TRY(add_calendar_field(member.field, value, linted.rule));
    if (const auto* text = std::get_if<std::string>(&value)) linted.texts[index] = *text;
    if (member.field <= CronField::hour) linted.is_wildcard |= linted.shapes[index].starts_with_star;
  }
  return linted;
}

std::string LintedRule::pointer_to(CronField field) const {
  if (is_cron) return pointer;
  return fmt::format("{}/{}", pointer, std::ranges::find(calendar_members, field, &CalendarMember::field)->key);
}

std::string LintedRule::with(CronField field, std::string_view replacement) const {
  if (!is_cron) return quoted(replacement);
  std::string out;
  for (std::size_t i = first_field(has_seconds); i < 6; ++i) {
    if (!out.empty()) out += ' ';
    out += i == static_cast<std::size_t>(field) ? replacement : std::string_view{texts[i]};
  }
  return fmt::format("\"{}\"", out);
}

}  // namespace carillon
