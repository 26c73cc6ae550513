#pragma once

#include "base/error.hpp"
#include "calendar/cron.hpp"
#include "calendar/spec.hpp"
#include "calendar/wall_rule.hpp"

#include <array>
#include <string_view>

namespace carillon {

/// A calendar's members in the order of the reference, with the field each one fills.
struct CalendarMember {
  std::string_view key;
  CronField field;
  CalendarField Calendar::* value;
};
inline constexpr std::array<CalendarMember, 7> calendar_members{
    {{"second", CronField::second, &Calendar::second},
     {"minute", CronField::minute, &Calendar::minute},
     {"hour", CronField::hour, &Calendar::hour},
     {"dayOfMonth", CronField::day_of_month, &Calendar::day_of_month},
     {"month", CronField::month, &Calendar::month},
     {"dayOfWeek", CronField::day_of_week, &Calendar::day_of_week},
     {"year", CronField::year, &Calendar::year}}};

/// What a calendar means. Wildcard as for a cron: seconds, minutes or hours are text that begins with `*`.
struct CalendarRule {
  WallRule rule;
  bool is_wildcard = false;
};

/// Adds one field to a rule that begins without values (see empty_calendar_rule).
[[nodiscard]] Result<FieldShape> add_calendar_field(CronField field, const CalendarField& value, WallRule& rule);

/// A rule to add fields to: no value of any field matches yet; day of month AND day of week.
[[nodiscard]] WallRule empty_calendar_rule();

/// An error (rule "never-fires") if no wall time at all matches.
[[nodiscard]] Result<void> check_can_match(const WallRule& rule);

/// Fails like parse_cron, with the member's key as innermost context; a calendar that can never match is an error.
[[nodiscard]] Result<CalendarRule> compile_calendar(const Calendar& calendar);

}  // namespace carillon
