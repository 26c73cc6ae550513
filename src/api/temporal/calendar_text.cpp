#include "api/temporal/calendar_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace carillon::temporal {
namespace {

using schedule_pb::CalendarSpec;
using schedule_pb::Range;
using schedule_pb::StructuredCalendarSpec;
using Ranges = google::protobuf::RepeatedPtrField<Range>;

constexpr std::size_t comment_size_max = 200;

constexpr std::array<std::string_view, 12> month_names{"january",   "february", "march",    "april",
                                                       "may",       "june",     "july",     "august",
                                                       "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> day_names{"sunday",   "monday", "tuesday", "wednesday",
                                                    "thursday", "friday", "saturday"};

/// A field of a calendar: how it is called in messages, what it may be, and where it stands.
struct Field {
  std::string_view name;
  int min;
  int max;
  int text_max;               // as text; a day of the week may be 7
  std::string_view if_empty;  // what an empty text means
  std::span<const std::string_view> words;
  std::size_t word_length_min;  // shorter beginnings of words are none
  const std::string& (CalendarSpec::*text)() const;
  const Ranges& (StructuredCalendarSpec::*ranges)() const;
  Ranges* (StructuredCalendarSpec::*mutable_ranges)();
};

constexpr std::array<Field, 7> calendar_fields{{
    {"Second",
     0,
     59,
     59,
     "0",
     {},
     0,
     &CalendarSpec::second,
     &StructuredCalendarSpec::second,
     &StructuredCalendarSpec::mutable_second},
    {"Minute",
     0,
     59,
     59,
     "0",
     {},
     0,
     &CalendarSpec::minute,
     &StructuredCalendarSpec::minute,
     &StructuredCalendarSpec::mutable_minute},
    {"Hour",
     0,
     23,
     23,
     "0",
     {},
     0,
     &CalendarSpec::hour,
     &StructuredCalendarSpec::hour,
     &StructuredCalendarSpec::mutable_hour},
    {"DayOfMonth",
     1,
     31,
     31,
     "*",
     {},
     0,
     &CalendarSpec::day_of_month,
     &StructuredCalendarSpec::day_of_month,
     &StructuredCalendarSpec::mutable_day_of_month},
    {"Month", 1, 12, 12, "*", month_names, 3, &CalendarSpec::month, &StructuredCalendarSpec::month,
     &StructuredCalendarSpec::mutable_month},
    {"Year",
     2000,
     2100,
     2100,
     "*",
     {},
     0,
     &CalendarSpec::year,
     &StructuredCalendarSpec::year,
     &StructuredCalendarSpec::mutable_year},
    {"DayOfWeek", 0, 6, 7, "*", day_names, 2, &CalendarSpec::day_of_week, &StructuredCalendarSpec::day_of_week,
     &StructuredCalendarSpec::mutable_day_of_week},
}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A number, or the beginning of a word.
std::optional<int> value_in(const Field& field, std::string_view text) {
  if (const auto number = number_in(text)) return number;
  if (field.words.empty() || text.size() < field.word_length_min) return std::nullopt;
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t i = 0; i < field.words.size(); ++i)
    if (field.words[i].starts_with(lower)) return static_cast<int>(i) + field.min;
  return std::nullopt;
}

void add_range(Ranges& ranges, int start, int end, int step) {
  Range* range = ranges.Add();
  range->set_start(start);
  range->set_end(end);
  range->set_step(step);
}

/// Sunday may be written 7, which stands for 0.
void add_days_of_week(Ranges& ranges, int start, int end, int step) {
  if (end < 7) return add_range(ranges, start, end, step);
  if (start == 7) return add_range(ranges, 0, 0, 1);
  if (step == 1 && start <= 1) return add_range(ranges, 0, 6, 1);
  if ((7 - start) % step == 0) add_range(ranges, 0, 0, 1);
  add_range(ranges, start, 6, step);
}

Outcome<> add_item(const Field& field, std::string_view item, Ranges& ranges) {
  const auto wrong_bounds = [&](std::string_view what) {
    return invalid_spec(fmt::format("{} {}not in range [{}-{}]", field.name, what, field.min, field.text_max));
  };
  const auto slashes = split(item, '/');
  if (slashes.size() > 2) return invalid_spec(fmt::format("{} has too many slashes", field.name));
  int step = 1;
  if (slashes.size() == 2) {
    const auto given = number_in(slashes[1]);
    if (!given || *given < 1) return invalid_spec(fmt::format("{} has invalid Step", field.name));
    step = *given;
  }
  if (slashes[0] == "*") {
    add_range(ranges, field.min, field.max, step);
    return {};
  }
  const auto ends = split(slashes[0], '-');
  if (ends.size() > 2) return invalid_spec(fmt::format("{} has too many dashes", field.name));
  const auto start = value_in(field, ends[0]);
  if (!start || *start < field.min || *start > field.text_max) return wrong_bounds("is ");
  int end = slashes.size() == 2 ? field.max : *start;
  if (ends.size() == 2) {
    const auto given = value_in(field, ends[1]);
    if (!given || *given < *start || *given > field.text_max) return wrong_bounds("End is before Start or ");
    end = *given;
  }
  if (field.text_max != field.max)
    add_days_of_week(ranges, *start, std::max(end, *start), step);
  else
    add_range(ranges, *start, end, step);
  return {};
}

Outcome<> add_field(const Field& field, std::string_view text, Ranges& ranges) {
  if (text.empty()) text = field.if_empty;
  // Left out rather than written out, as Temporal does.
  if (field.name == "Year" && text == "*") return {};
  for (const std::string_view item : split(text, ',')) {
    if (item.empty())
      return invalid_spec(fmt::format("{} is not in range [{}-{}]", field.name, field.min, field.text_max));
    if (auto added = add_item(field, item, ranges); !added) return added;
  }
  return {};
}

std::optional<std::string_view> meaning_of_word(std::string_view word) {
  if (word == "@yearly" || word == "@annually") return "0 0 1 1 *";
  if (word == "@monthly") return "0 0 1 * *";
  if (word == "@weekly") return "0 0 * * 0";
  if (word == "@daily" || word == "@midnight") return "0 0 * * *";
  if (word == "@hourly") return "0 * * * *";
  return std::nullopt;
}

/// `1h30m`, `1.5h`, `2d`: as Go reads durations, and days.
std::optional<Duration> go_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 9> units{{{"ns", 1e-9},
                                       {"us", 1e-6},
                                       {"µs", 1e-6},
                                       {"μs", 1e-6},
                                       {"ms", 1e-3},
                                       {"s", 1},
                                       {"m", 60},
                                       {"h", 3'600},
                                       {"d", 86'400}}};
  if (text == "0") return Duration{0};
  double seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const auto unit = std::ranges::find_if(units, [&](const Unit& one) {
      const std::string_view rest = text.starts_with(one.name) ? text.substr(one.name.size()) : std::string_view{"x"};
      return text.starts_with(one.name) &&
             (rest.empty() || std::isdigit(static_cast<unsigned char>(rest.front())) != 0);
    });
    if (unit == units.end()) return std::nullopt;
    seconds += number * unit->seconds;
    text.remove_prefix(unit->name.size());
  }
  if (seconds > 9e9) return std::nullopt;
  return Duration{std::llround(seconds * 1e6)};
}

Outcome<CronMeaning> compile_every(std::string_view text) {
  CronMeaning meaning;
  meaning.is_interval = true;
  const auto parts = split(text, '/');
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 2); ++i) {
    const auto length = go_duration(trimmed(parts[i]));
    if (!length) return invalid_spec(fmt::format("time: invalid duration \"{}\"", trimmed(parts[i])));
    *(i == 0 ? meaning.interval.mutable_interval() : meaning.interval.mutable_phase()) = message_of(*length);
  }
  return meaning;
}

}  // namespace

Outcome<StructuredCalendarSpec> compile_calendar_text(const CalendarSpec& calendar) {
  StructuredCalendarSpec out;
  for (const Field& field : calendar_fields)
    if (auto added = add_field(field, (calendar.*field.text)(), *(out.*field.mutable_ranges)()); !added)
      return std::unexpected(std::move(added).error());
  out.set_comment(calendar.comment());
  return out;
}

Outcome<CronMeaning> compile_cron_text(std::string_view text) {
  text = trimmed(text);
  CronMeaning meaning;
  for (const std::string_view prefix : {"CRON_TZ=", "TZ="}) {
    if (!text.starts_with(prefix)) continue;
    const std::size_t end = std::min(text.find(' '), text.size());
    meaning.timezone = text.substr(prefix.size(), end - prefix.size());
    text = trimmed(text.substr(end));
    break;
  }
  std::string comment;
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    comment = trimmed(text.substr(hash + 1));
    text = trimmed(text.substr(0, hash));
  }
  if (text.starts_with("@every")) return compile_every(trimmed(text.substr(6)));
  const auto fields = words_in(meaning_of_word(text).value_or(text));
  if (fields.size() < 5 || fields.size() > 7) return invalid_spec("CronString does not have 5-7 fields");
  CalendarSpec calendar;
  std::size_t next = 0;
  const auto take = [&] { return std::string{fields[next++]}; };
  if (fields.size() == 7) calendar.set_second(take());
  calendar.set_minute(take());
  calendar.set_hour(take());
  calendar.set_day_of_month(take());
  calendar.set_month(take());
  calendar.set_day_of_week(take());
  if (next < fields.size()) calendar.set_year(take());
  calendar.set_comment(comment);
  auto compiled = compile_calendar_text(calendar);
  if (!compiled) return std::unexpected(std::move(compiled).error());
  meaning.calendar = *std::move(compiled);
  return meaning;
}

Outcome<> check_structured_calendar(const StructuredCalendarSpec& calendar) {
  const auto wrong = [](std::string_view name, std::string_view what) {
    return invalid_spec(fmt::format("invalid calendar spec: {} {}", name, what));
  };
  for (const Field& field : calendar_fields) {
    for (const Range& range : (calendar.*field.ranges)()) {
      if (range.start() < field.min || range.start() > field.max)
        return wrong(field.name, fmt::format("Start is not in range [{}-{}]", field.min, field.max));
      if (range.end() != 0 && (range.end() < range.start() || range.end() > field.max))
        return wrong(field.name, fmt::format("End is before Start or not in range [{}-{}]", field.min, field.max));
      if (range.step() < 0) return wrong(field.name, "has invalid Step");
    }
  }
  if (calendar.comment().size() > comment_size_max) return wrong("comment", "is too long");
  return {};
}

}  // namespace carillon::temporal
