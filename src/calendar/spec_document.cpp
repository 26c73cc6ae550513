#include "calendar/spec_document.hpp"

#include "calendar/calendar_rule.hpp"
#include "calendar/cron.hpp"
#include "calendar/exclusions.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

namespace carillon {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> anchor_words{"creation", "start", "epoch"};
constexpr std::array<std::string_view, 2> dst_words{"cron", "literal"};
constexpr std::size_t comment_length_max = 200;

std::string element(const std::string& pointer, std::size_t index) { return fmt::format("{}/{}", pointer, index); }

/// A list of at most `count_max` elements; null when the member is left out or is none, which is then noted.
const json::array* list(ObjectReader& reader, std::string_view key, std::size_t count_max) {
  const json::value* value = reader.member(key);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) {
    reader.problem(key, "wrong-type", fmt::format("{} is not a list", key), "write [ … ]");
    return nullptr;
  }
  if (value->get_array().size() > count_max) {
    reader.problem(key, "too-many", fmt::format("{} has {} elements", key, value->get_array().size()),
                   fmt::format("write at most {}", count_max));
    return nullptr;
  }
  return &value->get_array();
}

void read_cron_text(const json::value& value, std::string pointer, Spec& spec, Problems& problems) {
  if (!value.is_string()) {
    problems.push_back({.pointer = std::move(pointer),
                        .code = "wrong-type",
                        .message = "a cron expression is a text",
                        .hint = "write it in quotes, like \"0 9 * * 1-5\"",
                        .position = {}});
    return;
  }
  const std::string_view text = value.get_string();
  if (auto cron = parse_cron(text); !cron) problems.push_back(to_problem(std::move(pointer), cron.error()));
  spec.crons.emplace_back(text);
}

void read_crons(ObjectReader& reader, Spec& spec, Problems& problems) {
  const json::value* value = reader.member("cron");
  if (value == nullptr) return;
  if (!value->is_array()) return read_cron_text(*value, reader.pointer("cron"), spec, problems);
  const json::array* crons = list(reader, "cron", spec_rules_max);
  for (std::size_t i = 0; crons != nullptr && i < crons->size(); ++i) {
    read_cron_text((*crons)[i], element(reader.pointer("cron"), i), spec, problems);
  }
}

std::optional<int> small_integer(ObjectReader& reader, std::string_view key) {
  const auto value = reader.integer(key);
  if (!value) return std::nullopt;
  if (*value < 0 || *value > 9999) {
    reader.problem(key, "out-of-range", fmt::format("{} {} is out of range", key, *value),
                   "write a number from 0 to 9999");
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::vector<CalendarRange> read_ranges(const json::array& values, const std::string& pointer, Problems& problems) {
  std::vector<CalendarRange> ranges;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ObjectReader reader{values[i], element(pointer, i), problems};
    const auto start = small_integer(reader, "start");
    if (!start && values[i].is_object() && reader.member("start") == nullptr)
      reader.problem("start", "missing", "a range needs start", "write {start: 1, end: 5, step: 1}");
    const auto end = small_integer(reader, "end");
    const auto step = small_integer(reader, "step");
    reader.finish();
    if (start) ranges.push_back({.start = *start, .end = end.value_or(*start), .step = step.value_or(1)});
  }
  return ranges;
}

/// One field as text, number (`hour: 9`) or list of ranges.
std::optional<CalendarField> read_field(ObjectReader& reader, const CalendarMember& member, Problems& problems) {
  const json::value* value = reader.member(member.key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return CalendarField{std::string{value->get_string()}};
  if (value->is_int64()) return CalendarField{std::to_string(value->get_int64())};
  if (value->is_uint64()) return CalendarField{std::to_string(value->get_uint64())};
  if (value->is_array() && value->get_array().size() <= spec_rules_max) {
    return CalendarField{read_ranges(value->get_array(), reader.pointer(member.key), problems)};
  }
  reader.problem(member.key, "wrong-type",
                 fmt::format("{} is neither text nor a list of at most {} ranges", member.key, spec_rules_max),
                 "write it like a cron field, \"9-17\", or as [{start: 9, end: 17, step: 1}]");
  return std::nullopt;
}

/// The calendar, and its rule when nothing is wrong with it.
struct ReadCalendar {
  Calendar calendar;
  std::optional<WallRule> rule;
};

ReadCalendar read_calendar(const json::value& value, std::string pointer, Calendar calendar, Problems& problems) {
  const std::size_t problems_before = problems.size();
  const std::string place = pointer;
  ObjectReader reader{value, std::move(pointer), problems};
  WallRule rule = empty_calendar_rule();
  for (const CalendarMember& member : calendar_members) {
    if (auto field = read_field(reader, member, problems)) calendar.*member.value = std::move(*field);
    if (problems.size() != problems_before) continue;
    if (auto shape = add_calendar_field(member.field, calendar.*member.value, rule); !shape)
      reader.problem(member.key, shape.error());
  }
  if (const auto comment = reader.text("comment")) {
    if (comment->size() > comment_length_max)
      reader.problem("comment", "too-long", "the comment is too long",
                     fmt::format("write at most {} bytes", comment_length_max));
    calendar.comment = *comment;
  }
  reader.finish();
  if (problems.size() != problems_before) return {std::move(calendar), std::nullopt};
  if (auto possible = check_can_match(rule); !possible) problems.push_back(to_problem(place, possible.error()));
  return {std::move(calendar), rule};
}

void read_calendars(ObjectReader& reader, Spec& spec, Problems& problems) {
  const json::array* calendars = list(reader, "calendars", spec_rules_max);
  for (std::size_t i = 0; calendars != nullptr && i < calendars->size(); ++i) {
    spec.calendars.push_back(
        read_calendar((*calendars)[i], element(reader.pointer("calendars"), i), Calendar{}, problems).calendar);
  }
  if (spec.crons.size() + spec.calendars.size() > spec_rules_max) {
    reader.problem("calendars", "too-many",
                   fmt::format("the spec has {} crons and calendars", spec.crons.size() + spec.calendars.size()),
                   fmt::format("write at most {}", spec_rules_max));
  }
}

void read_excludes(ObjectReader& reader, Spec& spec, Problems& problems) {
  const json::array* excludes = list(reader, "exclude", spec_excludes_max);
  Exclusions exclusions;
  for (std::size_t i = 0; excludes != nullptr && i < excludes->size(); ++i) {
    const std::string pointer = element(reader.pointer("exclude"), i);
    ReadCalendar read = read_calendar((*excludes)[i], pointer, Calendar::any(), problems);
    if (read.rule && !exclusions.add(*read.rule)) {
      problems.push_back(
          {.pointer = pointer,
           .code = "too-many",
           .message = "too many exclusions name a time of day",
           .hint = fmt::format("write at most {}; exclusions of whole days are not counted", Exclusions::partial_max),
           .position = {}});
      return;
    }
    spec.exclude.push_back(std::move(read.calendar));
  }
}

bool is_whole_seconds(Duration duration) { return duration % std::chrono::seconds{1} == Duration{0}; }

void read_interval(const json::value& value, std::string pointer, Spec& spec, Problems& problems) {
  ObjectReader reader{value, std::move(pointer), problems};
  Interval interval{.every = Duration{0}};
  const bool has_every = reader.member("every") != nullptr;
  if (const auto every = reader.duration("every")) {
    interval.every = *every;
    if (*every < std::chrono::seconds{1} || !is_whole_seconds(*every)) {
      reader.problem("every", "out-of-range",
                     fmt::format("an interval of {} is not a whole number of seconds from 1s on", to_text(*every)),
                     "write 1s or more");
    }
  } else if (value.is_object() && !has_every) {
    reader.problem("every", "missing", "an interval needs every", "write every: 1h");
  }
  interval.offset = reader.duration("offset").value_or(Duration{0});
  if (interval.offset != Duration{0} && (interval.offset >= interval.every || !is_whole_seconds(interval.offset))) {
    reader.problem("offset", "out-of-range",
                   fmt::format("the offset {} is not below every ({}), or not in whole seconds",
                               to_text(interval.offset), to_text(interval.every)),
                   "write a shorter offset");
  }
  if (const auto anchor = reader.word("anchor", anchor_words)) interval.anchor = static_cast<Anchor>(*anchor);
  if (interval.anchor == Anchor::start && !spec.start_at) {
    reader.problem("anchor", "missing-start", "anchor start needs startAt",
                   "give startAt, or write anchor: creation or anchor: epoch");
  }
  reader.finish();
  spec.intervals.push_back(interval);
}

void read_times(ObjectReader& reader, Spec& spec, Problems& problems) {
  const json::array* times = list(reader, "times", spec_times_max);
  for (std::size_t i = 0; times != nullptr && i < times->size(); ++i) {
    const json::value& value = (*times)[i];
    const auto time = value.is_string() ? parse_instant(value.get_string()) : parse_instant("");
    if (time) {
      spec.times.push_back(*time);
    } else {
      problems.push_back(to_problem(element(reader.pointer("times"), i), time.error()));
    }
  }
}

json::value write_field(const CalendarField& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return json::value(*text);
  json::array ranges;
  for (const CalendarRange& range : std::get<std::vector<CalendarRange>>(field)) {
    ranges.push_back(json::object{{"start", range.start}, {"end", range.end}, {"step", range.step}});
  }
  return ranges;
}

json::array write_calendars(const std::vector<Calendar>& calendars) {
  json::array out;
  for (const Calendar& calendar : calendars) {
    json::object members;
    for (const CalendarMember& member : calendar_members) members[member.key] = write_field(calendar.*member.value);
    members["comment"] = calendar.comment;
    out.push_back(std::move(members));
  }
  return out;
}

json::array write_intervals(const std::vector<Interval>& intervals) {
  json::array out;
  for (const Interval& interval : intervals) {
    out.push_back(json::object{{"every", to_text(interval.every)},
                               {"offset", to_text(interval.offset)},
                               {"anchor", anchor_words[static_cast<std::size_t>(interval.anchor)]}});
  }
  return out;
}

json::value write_time(const std::optional<Instant>& time) {
  return time ? json::value(to_text(*time)) : json::value(nullptr);
}

}  // namespace

Checked<Spec> read_spec(const json::value& document, std::string_view default_timezone, std::string_view pointer) {
  Spec spec;
  Problems problems;
  ObjectReader reader{document, std::string{pointer}, problems};
  spec.timezone = reader.text("timezone").value_or(default_timezone);
  if (spec.timezone.empty())
    reader.problem("timezone", "unknown-zone", "timezone is empty", "write a name like Europe/Berlin, or leave it out");
  spec.start_at = reader.instant("startAt");
  spec.end_at = reader.instant("endAt");
  if (spec.start_at && spec.end_at && *spec.end_at < *spec.start_at) {
    reader.problem("endAt", "out-of-range",
                   fmt::format("endAt {} is before startAt {}", to_text(*spec.end_at), to_text(*spec.start_at)),
                   "write a later endAt");
  }
  read_crons(reader, spec, problems);
  read_calendars(reader, spec, problems);
  const json::array* intervals = list(reader, "intervals", spec_rules_max);
  for (std::size_t i = 0; intervals != nullptr && i < intervals->size(); ++i) {
    read_interval((*intervals)[i], element(reader.pointer("intervals"), i), spec, problems);
  }
  read_times(reader, spec, problems);
  read_excludes(reader, spec, problems);
  spec.jitter = reader.duration("jitter").value_or(Duration{0});
  if (const auto dst = reader.word("dst", dst_words)) spec.dst = static_cast<DstPolicy>(*dst);
  reader.finish();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return spec;
}

json::object write_spec(const Spec& spec) {
  json::array crons;
  for (const std::string& cron : spec.crons) crons.push_back(json::value(cron));
  json::array times;
  for (const Instant time : spec.times) times.push_back(json::value(to_text(time)));
  return {{"cron", std::move(crons)},
          {"calendars", write_calendars(spec.calendars)},
          {"intervals", write_intervals(spec.intervals)},
          {"times", std::move(times)},
          {"exclude", write_calendars(spec.exclude)},
          {"timezone", spec.timezone},
          {"startAt", write_time(spec.start_at)},
          {"endAt", write_time(spec.end_at)},
          {"jitter", to_text(spec.jitter)},
          {"dst", dst_words[static_cast<std::size_t>(spec.dst)]}};
}

}  // namespace carillon
