#include "calendar/calendar_rule.hpp"

#include "calendar/cron_field.hpp"

namespace carillon {
namespace {

std::unexpected<Error> refuse(std::string message, std::string hint, std::string_view rule = "invalid-calendar") {
  return std::unexpected(Error{.code = ErrorCode::invalid_argument,
                               .message = std::move(message),
                               .hint = std::move(hint),
                               .rule = rule,
                               .position = {},
                               .context = {}});
}

Result<void> check_range(CronField field, const CalendarRange& range) {
  const FieldRange bounds = range_of(field);
  const int max = field == CronField::day_of_week ? 7 : bounds.max;
  if (range.start < bounds.min || range.start > max || range.end > max) {
    return refuse(fmt::format("the range {}-{} of the {} field leaves {}-{}", range.start, range.end, to_text(field),
                              bounds.min, max),
                  fmt::format("use values from {} to {}", bounds.min, max));
  }
  if (range.end < range.start) {
    return refuse(fmt::format("the range {}-{} of the {} field runs backwards", range.start, range.end, to_text(field)),
                  "write two ranges");
  }
  if (range.step < 1) {
    return refuse(fmt::format("the step {} of the {} field is below 1", range.step, to_text(field)),
                  "write a step of at least 1");
  }
  return {};
}

/// A range as the text that means it, so that both forms share one parser.
std::string range_text(const CalendarRange& range) {
  // A lone 7 is Sunday, which a range may not start at.
  if (range.start == range.end) return fmt::format("{}", range.start);
  return fmt::format("{}-{}/{}", range.start, range.end, std::min(range.step, 9999));
}

Result<FieldShape> add_ranges(CronField field, const std::vector<CalendarRange>& ranges, WallRule& rule) {
  if (ranges.empty())
    return refuse(fmt::format("the {} field has no ranges and would never match", to_text(field)),
                  "write * for any value");
  for (const CalendarRange& range : ranges) {
    TRY(check_range(field, range));
    TRY(parse_cron_field(field, range_text(range), rule));
  }
  return FieldShape{};
}

}  // namespace

WallRule empty_calendar_rule() {
  return {.seconds = 0, .minutes = 0, .hours = 0, .months = 0, .day = {}, .any_year = false, .years = {}};
}

Result<FieldShape> add_calendar_field(CronField field, const CalendarField& value, WallRule& rule) {
  if (const auto* text = std::get_if<std::string>(&value)) return parse_cron_field(field, *text, rule);
  return add_ranges(field, std::get<std::vector<CalendarRange>>(value), rule);
}

Result<void> check_can_match(const WallRule& rule) {
  if (rule.can_match()) return {};
  return refuse("the calendar never matches: no day has all of its fields",
                "check day of month, month, day of week and year", "never-fires");
}

Result<CalendarRule> compile_calendar(const Calendar& calendar) {
  CalendarRule compiled{.rule = empty_calendar_rule()};
  for (const CalendarMember& member : calendar_members) {
    auto shape =
        TRY(while_doing(add_calendar_field(member.field, calendar.*member.value, compiled.rule), "{}", member.key));
    if (member.field <= CronField::hour) compiled.is_wildcard |= shape.starts_with_star;
  }
  TRY(check_can_match(compiled.rule));
  // All values written out restrict nothing where both day fields must match.
  DayRule& day = compiled.rule.day;
  if (day.days == 0xffff'fffe) day.any_day_of_month = true;
  if (day.weekdays == 0x7f) day.any_day_of_week = true;
  return compiled;
}

}  // namespace carillon
