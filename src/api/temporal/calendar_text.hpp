#pragma once

#include "api/temporal/errors.hpp"
#include "api/temporal/messages.hpp"

#include <string>
#include <string_view>

namespace carillon::temporal {

/// A calendar whose fields are texts, as ranges: every field is written out, but a year that is any. What is wrong is
/// said in Temporal's words.
[[nodiscard]] Outcome<schedule_pb::StructuredCalendarSpec> compile_calendar_text(
    const schedule_pb::CalendarSpec& calendar);

/// What a cron string of Temporal says. All fields must match (a day of the month AND a day of the week); `#` begins a
/// comment; six fields end with a year, seven begin with a second.
struct CronMeaning {
  std::string timezone{};  // it names, if it names one
  bool is_interval = false;
  schedule_pb::IntervalSpec interval{};
  schedule_pb::StructuredCalendarSpec calendar{};
};
[[nodiscard]] Outcome<CronMeaning> compile_cron_text(std::string_view text);

/// Refuses, in Temporal's words, a calendar of ranges that Temporal would.
[[nodiscard]] Outcome<> check_structured_calendar(const schedule_pb::StructuredCalendarSpec& calendar);

}  // namespace carillon::temporal
