#include "api/temporal/spec_translation.hpp"

#include "api/temporal/calendar_text.hpp"
#include "base/duration_text.hpp"
#include "calendar/calendar_rule.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace carillon::temporal {
namespace {

namespace json = boost::json;
using schedule_pb::CalendarSpec;
using schedule_pb::IntervalSpec;
using schedule_pb::Range;
using schedule_pb::ScheduleSpec;
using schedule_pb::StructuredCalendarSpec;
using RangeList = google::protobuf::RepeatedPtrField<Range>;

struct CalendarPlace {
  CalendarField Calendar::* ours;
  const RangeList& (StructuredCalendarSpec::*theirs)() const;
  RangeList* (StructuredCalendarSpec::*mutable_theirs)();
  void (*set_text)(CalendarSpec&, const std::string&);
};

constexpr std::array<CalendarPlace, 7> calendar_places{{
    {&Calendar::second, &StructuredCalendarSpec::second, &StructuredCalendarSpec::mutable_second,
     [](CalendarSpec& to, const std::string& text) { to.set_second(text); }},
    {&Calendar::minute, &StructuredCalendarSpec::minute, &StructuredCalendarSpec::mutable_minute,
     [](CalendarSpec& to, const std::string& text) { to.set_minute(text); }},
    {&Calendar::hour, &StructuredCalendarSpec::hour, &StructuredCalendarSpec::mutable_hour,
     [](CalendarSpec& to, const std::string& text) { to.set_hour(text); }},
    {&Calendar::day_of_month, &StructuredCalendarSpec::day_of_month, &StructuredCalendarSpec::mutable_day_of_month,
     [](CalendarSpec& to, const std::string& text) { to.set_day_of_month(text); }},
    {&Calendar::month, &StructuredCalendarSpec::month, &StructuredCalendarSpec::mutable_month,
     [](CalendarSpec& to, const std::string& text) { to.set_month(text); }},
    {&Calendar::day_of_week, &StructuredCalendarSpec::day_of_week, &StructuredCalendarSpec::mutable_day_of_week,
     [](CalendarSpec& to, const std::string& text) { to.set_day_of_week(text); }},
    {&Calendar::year, &StructuredCalendarSpec::year, &StructuredCalendarSpec::mutable_year,
     [](CalendarSpec& to, const std::string& text) { to.set_year(text); }},
}};

constexpr Duration whole_second = std::chrono::seconds{1};

Duration in_whole_seconds(Duration duration) { return std::chrono::floor<std::chrono::seconds>(duration); }

Outcome<> check_interval(const IntervalSpec& interval) {
  const Duration every = duration_of(interval.interval());
  const Duration phase = duration_of(interval.phase());
  if (every < whole_second) return invalid_spec("interval is too small");
  if (phase < Duration{0}) return invalid_spec("phase is negative");
  if (phase >= every) return invalid_spec("phase cannot be greater than Interval");
  return {};
}

/// As Temporal shows them: an end before its start is the start, no step is 1.
void fill_ranges(StructuredCalendarSpec& calendar) {
  for (const CalendarPlace& place : calendar_places) {
    for (Range& range : *(calendar.*place.mutable_theirs)()) {
      range.set_end(std::max(range.start(), range.end()));
      if (range.step() == 0) range.set_step(1);
    }
  }
}

/// The zones that crons name must be one, and that of the spec if it names one.
Outcome<std::string> zone_of(const ScheduleSpec& spec, const std::vector<CronMeaning>& crons) {
  std::optional<std::string> named;
  for (const CronMeaning& cron : crons) {
    if (cron.is_interval) continue;
    if (named && *named != cron.timezone) return invalid_spec("conflicting timezone names");
    named = cron.timezone;
  }
  if (!named || named->empty()) return spec.timezone_name();
  if (!spec.timezone_name().empty() && spec.timezone_name() != *named)
    return invalid_spec("conflicting timezone names");
  return *named;
}

Outcome<> compile_crons(const ScheduleSpec& spec, ScheduleSpec& out) {
  std::vector<CronMeaning> crons;
  for (const std::string& text : spec.cron_string()) crons.push_back(TRY(compile_cron_text(text)));
  out.set_timezone_name(TRY(zone_of(spec, crons)));
  for (const CronMeaning& cron : crons) {
    if (cron.is_interval)
      *out.add_interval() = cron.interval;
    else
      *out.add_structured_calendar() = cron.calendar;
  }
  return {};
}

/// None: the field has no values, and so the calendar never matches.
std::optional<CalendarField> field_of(const RangeList& ranges, bool is_year) {
  if (ranges.empty()) return is_year ? std::optional{CalendarField{"*"}} : std::nullopt;
  std::vector<CalendarRange> out;
  for (const Range& range : ranges) out.push_back({.start = range.start(), .end = range.end(), .step = range.step()});
  return out;
}

/// None: it can never match.
std::optional<Calendar> calendar_of(const StructuredCalendarSpec& calendar) {
  Calendar out;
  out.comment = calendar.comment();
  for (const CalendarPlace& place : calendar_places) {
    auto field = field_of((calendar.*place.theirs)(), place.ours == &Calendar::year);
    if (!field) return std::nullopt;
    out.*place.ours = *std::move(field);
  }
  if (!compile_calendar(out)) return std::nullopt;
  return out;
}

json::value field_document(const CalendarField& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return json::value(*text);
  json::array ranges;
  for (const CalendarRange& range : std::get<std::vector<CalendarRange>>(field))
    ranges.push_back(json::object{{"start", range.start}, {"end", range.end}, {"step", range.step}});
  return ranges;
}

json::array calendars_document(const google::protobuf::RepeatedPtrField<StructuredCalendarSpec>& calendars) {
  json::array out;
  for (const StructuredCalendarSpec& calendar : calendars) {
    const auto own = calendar_of(calendar);
    if (!own) continue;
    json::object members;
    for (const CalendarMember& member : calendar_members) members[member.key] = field_document((*own).*member.value);
    members["comment"] = own->comment;
    out.push_back(std::move(members));
  }
  return out;
}

/// Calendars of ours have texts or ranges, also both; Temporal's have one or the other.
void add_calendar(const Calendar& calendar, ScheduleSpec& out) {
  CalendarSpec texts;
  bool is_text = true;
  for (const CalendarPlace& place : calendar_places) {
    const auto* text = std::get_if<std::string>(&(calendar.*place.ours));
    is_text = is_text && text != nullptr;
    if (text != nullptr) place.set_text(texts, *text);
  }
  texts.set_comment(calendar.comment);
  if (is_text) {
    *out.add_calendar() = texts;
    return;
  }
  // Fields that are texts become ranges where Temporal's grammar reads them.
  auto compiled = compile_calendar_text(texts);
  StructuredCalendarSpec& structured = *out.add_structured_calendar();
  if (compiled) structured = *std::move(compiled);
  structured.set_comment(calendar.comment);
  for (const CalendarPlace& place : calendar_places) {
    const auto* ranges = std::get_if<std::vector<CalendarRange>>(&(calendar.*place.ours));
    if (ranges == nullptr) continue;
    RangeList& list = *(structured.*place.mutable_theirs)();
    list.Clear();
    for (const CalendarRange& range : *ranges) {
      Range* added = list.Add();
      added->set_start(range.start);
      added->set_end(range.end);
      added->set_step(range.step);
    }
  }
}

Duration phase_of(const Interval& interval, const Spec& spec, Instant creation) {
  Duration anchor{0};
  if (interval.anchor == Anchor::creation) anchor = in_whole_seconds(creation.time_since_epoch());
  if (interval.anchor == Anchor::start && spec.start_at) anchor = in_whole_seconds(spec.start_at->time_since_epoch());
  const Duration phase = (anchor + interval.offset) % interval.every;
  return phase < Duration{0} ? phase + interval.every : phase;
}

}  // namespace

Outcome<ScheduleSpec> compile_spec(const ScheduleSpec& spec) {
  if (!spec.timezone_data().empty()) return invalid_spec("malformed time zone information");
  ScheduleSpec out = spec;
  out.clear_calendar();
  out.clear_cron_string();
  out.clear_exclude_calendar();
  for (const StructuredCalendarSpec& calendar : spec.structured_calendar()) TRY(check_structured_calendar(calendar));
  for (const CalendarSpec& calendar : spec.calendar())
    *out.add_structured_calendar() = TRY(compile_calendar_text(calendar));
  for (const CalendarSpec& calendar : spec.exclude_calendar())
    *out.add_exclude_structured_calendar() = TRY(compile_calendar_text(calendar));
  TRY(compile_crons(spec, out));
  for (const IntervalSpec& interval : out.interval()) TRY(check_interval(interval));
  for (StructuredCalendarSpec& calendar : *out.mutable_structured_calendar()) fill_ranges(calendar);
  for (StructuredCalendarSpec& calendar : *out.mutable_exclude_structured_calendar()) fill_ranges(calendar);
  return out;
}

json::object spec_document(const ScheduleSpec& compiled) {
  json::object out{{"timezone", compiled.timezone_name().empty() ? "UTC" : compiled.timezone_name()},
                   {"dst", "literal"},
                   {"jitter", to_text(std::max(duration_of(compiled.jitter()), Duration{0}))}};
  // Resolution is a second: a fraction of the start does not count.
  const Instant start = std::chrono::floor<std::chrono::seconds>(instant_of(compiled.start_time()));
  const Instant end = instant_of(compiled.end_time());
  const bool is_reversed = compiled.has_start_time() && compiled.has_end_time() && end < start;
  // What ends before it starts never is.
  if (is_reversed) return out;
  if (compiled.has_start_time()) out["startAt"] = to_text(start);
  if (compiled.has_end_time()) out["endAt"] = to_text(end);
  json::array intervals;
  for (const IntervalSpec& interval : compiled.interval())
    intervals.push_back(json::object{{"every", to_text(in_whole_seconds(duration_of(interval.interval())))},
                                     {"offset", to_text(in_whole_seconds(duration_of(interval.phase())))},
                                     {"anchor", "epoch"}});
  out["intervals"] = std::move(intervals);
  out["calendars"] = calendars_document(compiled.structured_calendar());
  out["exclude"] = calendars_document(compiled.exclude_structured_calendar());
  return out;
}

ScheduleSpec spec_message(const Spec& spec, Instant creation) {
  ScheduleSpec out;
  for (const std::string& cron : spec.crons) out.add_cron_string(cron);
  for (const Calendar& calendar : spec.calendars) add_calendar(calendar, out);
  ScheduleSpec excluded;
  for (const Calendar& calendar : spec.exclude) add_calendar(calendar, excluded);
  *out.mutable_exclude_structured_calendar() = excluded.structured_calendar();
  for (const CalendarSpec& calendar : excluded.calendar())
    if (auto compiled = compile_calendar_text(calendar)) *out.add_exclude_structured_calendar() = *std::move(compiled);
  for (const Interval& interval : spec.intervals) {
    IntervalSpec& added = *out.add_interval();
    *added.mutable_interval() = message_of(interval.every);
    if (const Duration phase = phase_of(interval, spec, creation); phase != Duration{0})
      *added.mutable_phase() = message_of(phase);
  }
  out.set_timezone_name(spec.timezone);
  if (spec.start_at) *out.mutable_start_time() = timestamp_of(*spec.start_at);
  if (spec.end_at) *out.mutable_end_time() = timestamp_of(*spec.end_at);
  if (spec.jitter != Duration{0}) *out.mutable_jitter() = message_of(spec.jitter);
  return out;
}

}  // namespace carillon::temporal
