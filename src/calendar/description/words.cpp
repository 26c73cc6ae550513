#include "calendar/description/words.hpp"

#include "base/civil.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 12> month_names{"January",   "February", "March",    "April",
                                                       "May",       "June",     "July",     "August",
                                                       "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> weekday_names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                        "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 5> ordinal_words{"first", "second", "third", "fourth", "fifth"};

// Longest list that is written out, and longest uneven progression.
constexpr std::size_t list_length_max = 12;
constexpr std::size_t uneven_length_max = 6;
// Neighbours are named by their ends from this many on.
constexpr int range_length_min = 3;

struct DurationUnit {
  std::int64_t microseconds;
  std::string_view noun;
};
constexpr std::array<DurationUnit, 6> duration_units{{{86'400'000'000, "day"},
                                                      {3'600'000'000, "hour"},
                                                      {60'000'000, "minute"},
                                                      {1'000'000, "second"},
                                                      {1'000, "millisecond"},
                                                      {1, "microsecond"}}};

std::string shortened(const std::vector<int>& values, const ValueText& text) {
  return fmt::format("{}, {}, ... {}", text(values[0]), text(values[1]), text(values.back()));
}

std::string shortened_list(const std::vector<int>& values, const ValueText& text) {
  // Two values tell how a progression goes on; of any other list they tell nothing, so that its length is said.
  if (progression_of(values)) return shortened(values, text);
  return fmt::format("{} ({} values)", shortened(values, text), values.size());
}

}  // namespace

std::string_view month_name(int month) { return month_names[static_cast<std::size_t>(month - 1)]; }
std::string_view weekday_name(int weekday) { return weekday_names[static_cast<std::size_t>(weekday)]; }
std::string_view ordinal_word(int number) { return ordinal_words[static_cast<std::size_t>(number - 1)]; }

std::string ordinal(int number) {
  const int tens = number / 10 % 10;
  const int ones = number % 10;
  std::string_view ending = "th";
  if (tens != 1 && ones >= 1 && ones <= 3) ending = ones == 1 ? "st" : ones == 2 ? "nd" : "rd";
  return fmt::format("{}{}", number, ending);
}

std::string counted(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string join(const std::vector<std::string>& parts, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 < parts.size() ? std::string{", "} : fmt::format(" {} ", last);
    out += parts[i];
  }
  return out;
}

std::string inside_sentence(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string duration_words(Duration duration) {
  std::string out;
  std::int64_t rest = duration.count();
  for (const DurationUnit& unit : duration_units) {
    const std::int64_t number = rest / unit.microseconds;
    rest %= unit.microseconds;
    if (number != 0) out += fmt::format("{}{}", out.empty() ? "" : " ", counted(number, unit.noun));
  }
  return out.empty() ? "0 seconds" : out;
}

std::string every_words(Duration duration) {
  const auto unit = std::ranges::find(duration_units, duration.count(), &DurationUnit::microseconds);
  return unit != duration_units.end() ? std::string{unit->noun} : duration_words(duration);
}

std::string clock_text(int second_of_day, bool with_seconds) {
  std::string out = fmt::format(FMT_COMPILE("{:02}:{:02}"), second_of_day / 3600, second_of_day / 60 % 60);
  return with_seconds ? fmt::format("{}:{:02}", out, second_of_day % 60) : out;
}

std::string date_text(std::int64_t wall_second) {
  const CivilDate date = civil_from_days(static_cast<std::int32_t>(floor_divide(wall_second, seconds_per_day)));
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}"), date.year, date.month, date.day);
}

std::string moment_text(Instant instant) {
  std::string text = to_text(instant);
  text[10] = ' ';
  text.pop_back();
  if (text.ends_with(":00") && text.size() == 19) text.resize(16);
  return text + " UTC";
}

std::vector<int> values_of(std::uint64_t mask) {
  std::vector<int> values;
  for (; mask != 0; mask &= mask - 1) values.push_back(std::countr_zero(mask));
  return values;
}

std::uint64_t mask_between(int first, int last) {
  return (~std::uint64_t{0} >> (63 - last)) & (~std::uint64_t{0} << first);
}

std::uint64_t mask_of(CronField field) {
  const FieldRange range = range_of(field);
  return mask_between(range.min, range.max);
}

std::optional<Progression> progression_of(const std::vector<int>& values) {
  if (values.size() < 2) return std::nullopt;
  const int step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return std::nullopt;
  }
  return Progression{values.front(), step, values.back(), static_cast<int>(values.size())};
}

std::optional<Progression> whole_field_progression(std::uint64_t mask, FieldRange range) {
  auto found = progression_of(values_of(mask));
  if (found && (found->first - range.min >= found->step || found->last + found->step <= range.max)) found.reset();
  return found;
}

bool is_even(const Progression& progression, FieldRange range) {
  return range.max - progression.last + progression.first - range.min + 1 == progression.step;
}

std::vector<Span> spans_of(const std::vector<int>& values) {
  std::vector<Span> runs;
  for (const int value : values) {
    if (!runs.empty() && runs.back().last + 1 == value) {
      runs.back().last = value;
    } else {
      runs.push_back({value, value});
    }
  }
  return runs;
}

std::string list_text(const std::vector<int>& values, FieldRange range, const ValueText& text) {
  if (const auto progression = progression_of(values); progression && values.size() > uneven_length_max) {
    const bool is_whole =
        progression->first - range.min < progression->step && progression->last + progression->step > range.max;
    if (is_whole && !is_even(*progression, range)) return shortened(values, text);
  }
  std::vector<std::string> parts;
  for (const Span& run : spans_of(values)) {
    if (run.length() >= range_length_min) {
      parts.push_back(fmt::format("{} to {}", text(run.first), text(run.last)));
    } else {
      for (int value = run.first; value <= run.last; ++value) parts.push_back(text(value));
    }
  }
  return parts.size() > list_length_max ? shortened_list(values, text) : join(parts);
}

CircleText circle_text(std::uint64_t mask, const std::vector<int>& circle, const ValueText& text,
                       std::string_view last) {
  const auto has = [&](std::size_t place) { return (mask >> circle[place % circle.size()] & 1) != 0; };
  std::vector<std::size_t> begins;
  std::vector<std::string> names;
  for (std::size_t place = 0; place < circle.size(); ++place) {
    if (!has(place)) continue;
    names.push_back(text(circle[place]));
    if (!has(place + circle.size() - 1)) begins.push_back(place);
  }
  if (begins.size() != 1 || names.size() < range_length_min) return {join(names, last), false};
  const std::size_t end = (begins[0] + names.size() - 1) % circle.size();
  return {fmt::format("{} to {}", text(circle[begins[0]]), text(circle[end])), true};
}

}  // namespace carillon
