#include "calendar/description/describe_parts.hpp"
#include "calendar/description/words.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <vector>

namespace carillon {
namespace {

constexpr std::uint32_t named_times_max = 12;
constexpr std::uint32_t obvious_times_max = 3;
constexpr std::size_t windows_max = 3;
constexpr int window_times_min = 3;
constexpr int spaced_times_min = 4;

constexpr std::uint64_t all_of_sixty = (std::uint64_t{1} << 60) - 1;
constexpr std::uint32_t all_hours = (std::uint32_t{1} << 24) - 1;

bool has_all_hours(const WallRule& rule) { return rule.hours == all_hours; }
bool has_all_minutes(const WallRule& rule) { return rule.minutes == all_of_sixty; }
bool is_single(std::uint64_t mask) { return std::popcount(mask) == 1; }
int lowest(std::uint64_t mask) { return std::countr_zero(mask); }
int highest(std::uint64_t mask) { return 63 - std::countl_zero(mask); }

/// The step of values that go round the field evenly; 0 if they do not.
int cycle_of(std::uint64_t mask, CronField field) {
  const auto progression = whole_field_progression(mask, range_of(field));
  return progression && is_even(*progression, range_of(field)) ? progression->step : 0;
}
/// The same, beginning with the field's zero.
int cycle_from_zero(std::uint64_t mask, CronField field) { return (mask & 1) != 0 ? cycle_of(mask, field) : 0; }

std::string every(int step, std::string_view noun) {
  return step == 1 ? fmt::format("Every {}", noun) : fmt::format("Every {} {}s", step, noun);
}

std::optional<std::string> every_step_of_the_day(const WallRule& rule) {
  if (const int step = cycle_from_zero(rule.seconds, CronField::second)) {
    if (has_all_minutes(rule) && has_all_hours(rule)) return every(step, "second");
    return std::nullopt;
  }
  if (rule.seconds != 1) return std::nullopt;
  if (const int step = cycle_from_zero(rule.minutes, CronField::minute)) {
    if (has_all_hours(rule)) return every(step, "minute");
    return std::nullopt;
  }
  if (rule.minutes != 1) return std::nullopt;
  if (const int step = cycle_from_zero(rule.hours, CronField::hour)) return every(step, "hour");
  return std::nullopt;
}

std::string named_times(const WallRule& rule) {
  std::vector<std::string> times;
  for (const int hour : values_of(rule.hours)) {
    for (const int minute : values_of(rule.minutes)) {
      for (const int second : values_of(rule.seconds))
        times.push_back(clock_text(hour * 3600 + minute * 60 + second, rule.seconds != 1));
    }
  }
  return "At " + join(times);
}

/// Windows of the day, from the first second of each to the last.
std::string windows_text(const std::vector<Span>& seconds_of_day, bool with_seconds) {
  std::vector<std::string> parts;
  parts.reserve(seconds_of_day.size());
  for (const Span& window : seconds_of_day) {
    parts.push_back(fmt::format("from {} through {}", clock_text(window.first, with_seconds),
                                clock_text(window.last, with_seconds)));
  }
  return join(parts);
}

/// The runs of a larger unit, each as the window from its first time to its last.
std::vector<Span> windows_of(const std::vector<Span>& runs, int unit, int first_inside, int last_inside) {
  std::vector<Span> windows;
  windows.reserve(runs.size());
  for (const Span& run : runs) windows.push_back({run.first * unit + first_inside, run.last * unit + last_inside});
  return windows;
}

std::vector<Span> spans_of_minutes(const WallRule& rule) {
  std::vector<int> minutes;
  for (const int hour : values_of(rule.hours)) {
    for (const int minute : values_of(rule.minutes)) minutes.push_back(hour * 60 + minute);
  }
  return spans_of(minutes);
}

/// Whether windows tell the times better than a list: few, and each with several times.
bool suit_windows(const std::vector<Span>& runs, std::uint64_t inside) {
  for (const Span& run : runs) {
    if (run.length() * std::popcount(inside) < window_times_min) return false;
  }
  return runs.size() <= windows_max;
}

std::optional<std::string> seconds_in_windows(const WallRule& rule) {
  const int step = cycle_of(rule.seconds, CronField::second);
  if (step == 0 || (has_all_minutes(rule) && has_all_hours(rule))) return std::nullopt;
  const auto runs = spans_of_minutes(rule);
  if (!suit_windows(runs, rule.seconds)) return std::nullopt;
  const auto windows = windows_of(runs, 60, lowest(rule.seconds), highest(rule.seconds));
  return fmt::format("{} {}", every(step, "second"), windows_text(windows, true));
}

std::optional<std::string> minutes_in_windows(const WallRule& rule) {
  const int second = lowest(rule.seconds);
  int step = cycle_of(rule.minutes, CronField::minute);
  if (step == 0 && is_single(rule.hours)) {
    const auto inside = progression_of(values_of(rule.minutes));
    if (inside && inside->count >= spaced_times_min && 60 % inside->step == 0) step = inside->step;
  }
  const auto runs = spans_of(values_of(rule.hours));
  if (step == 0 || has_all_hours(rule) || !suit_windows(runs, rule.minutes)) return std::nullopt;
  const auto windows = windows_of(runs, 3600, lowest(rule.minutes) * 60 + second, highest(rule.minutes) * 60 + second);
  return fmt::format("{} {}", every(step, "minute"), windows_text(windows, second != 0));
}

std::optional<std::string> hours_in_windows(const WallRule& rule) {
  if (has_all_hours(rule) || !is_single(rule.minutes)) return std::nullopt;
  const int second = lowest(rule.minutes) * 60 + lowest(rule.seconds);
  const auto hours = values_of(rule.hours);
  const auto spaced = progression_of(hours);
  if (spaced && spaced->count >= spaced_times_min && 24 % spaced->step == 0) {
    return fmt::format("{} {}", every(spaced->step, "hour"),
                       windows_text({{spaced->first * 3600 + second, spaced->last * 3600 + second}}, second % 60 != 0));
  }
  const auto runs = spans_of(hours);
  if (!suit_windows(runs, rule.minutes)) return std::nullopt;
  return fmt::format("Every hour {}", windows_text(windows_of(runs, 3600, second, second), second % 60 != 0));
}

std::optional<std::string> every_step_in_windows(const WallRule& rule) {
  if (!is_single(rule.seconds)) return seconds_in_windows(rule);
  if (auto text = minutes_in_windows(rule)) return text;
  return hours_in_windows(rule);
}

std::string field_values(std::uint64_t mask, CronField field) {
  return fmt::format("{}{} {}", to_text(field), is_single(mask) ? "" : "s",
                     list_text(values_of(mask), range_of(field), [](int value) { return fmt::format("{}", value); }));
}

/// What a shortened list does not show: the odd step at the turn.
std::string uneven_note(std::uint64_t mask, CronField field, std::string_view turn) {
  const FieldRange range = range_of(field);
  const auto progression = whole_field_progression(mask, range);
  if (!progression || is_even(*progression, range) || progression->count <= 6) return "";
  const int rest = range.max + 1 - progression->last + progression->first - range.min;
  return fmt::format(" (uneven: {} at the turn of the {})", counted(rest, to_text(field)), turn);
}

std::string minutes_of_hours(const WallRule& rule) {
  const std::string hours = has_all_hours(rule) ? "of every hour" : "past " + field_values(rule.hours, CronField::hour);
  return fmt::format("{} {}{}", field_values(rule.minutes, CronField::minute), hours,
                     uneven_note(rule.minutes, CronField::minute, "hour"));
}

std::string every_minute_of_hours(const WallRule& rule) {
  if (has_all_hours(rule)) return "every minute";
  const auto runs = spans_of(values_of(rule.hours));
  if (runs.size() > windows_max) return "every minute in " + field_values(rule.hours, CronField::hour);
  return "every minute " + windows_text(windows_of(runs, 3600, 0, 59 * 60), false);
}

std::string times_by_field(const WallRule& rule) {
  const int minute_step = cycle_from_zero(rule.minutes, CronField::minute);
  if (rule.seconds == 1) {
    if (minute_step == 0 || has_all_hours(rule)) return "At " + minutes_of_hours(rule);
    return fmt::format("{} in {}", every(minute_step, "minute"), field_values(rule.hours, CronField::hour));
  }
  const int second_step = cycle_from_zero(rule.seconds, CronField::second);
  const std::string seconds =
      second_step != 0 ? every(second_step, "second") : "At " + field_values(rule.seconds, CronField::second);
  return fmt::format("{} of {}{}", seconds,
                     has_all_minutes(rule) ? every_minute_of_hours(rule) : minutes_of_hours(rule),
                     uneven_note(rule.seconds, CronField::second, "minute"));
}

}  // namespace

TimesText describe_times(const WallRule& rule) {
  const std::uint32_t count = rule.times_per_day();
  if (auto text = every_step_of_the_day(rule)) return {std::move(*text)};
  if (count <= obvious_times_max) return {named_times(rule), true};
  if (auto text = every_step_in_windows(rule)) return {std::move(*text)};
  if (count <= named_times_max) return {named_times(rule), true};
  return {times_by_field(rule)};
}

std::string describe_windows(const WallRule& rule) {
  const auto runs = spans_of_minutes(rule);
  return runs.size() > windows_max ? "" : windows_text(windows_of(runs, 60, 0, 0), false);
}

}  // namespace carillon
