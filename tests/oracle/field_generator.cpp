#include "oracle/field_generator.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cctype>
#include <utility>
#include <vector>

namespace carillon::oracle {
namespace {

/// What the items of one field are made of, and how often in a hundred it is `*` or else `*/n`.
struct Palette {
  int low;
  int high;
  std::vector<int> favourites;  // values at which interesting things happen
  int star;
  int stepped_star;
  std::vector<std::string> names = {};
};

const std::vector<std::string> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                           "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
const std::vector<std::string> weekday_names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

Palette palette_of(FieldKind kind, const Focus& focus) {
  switch (kind) {
    case FieldKind::second: return {.low = 0, .high = 59, .favourites = {0, 0, 30, 59}, .star = 10, .stepped_star = 20};
    case FieldKind::minute:
      return {.low = 0, .high = 59, .favourites = {0, 0, 15, 30, 45, 59}, .star = 15, .stepped_star = 20};
    case FieldKind::hour:
      return {.low = 0,
              .high = 23,
              .favourites = {focus.hour, focus.hour, (focus.hour + 23) % 24, (focus.hour + 1) % 24, 0, 2},
              .star = 20,
              .stepped_star = 10};
    case FieldKind::day_of_month:
      return {.low = 1,
              .high = 31,
              .favourites = {1, 15, 29, 30, 31, focus.day_of_month, focus.day_of_month},
              .star = 55,
              .stepped_star = 10};
    case FieldKind::month:
      return {.low = 1,
              .high = 12,
              .favourites = {2, focus.month, focus.month},
              .star = 70,
              .stepped_star = 15,
              .names = month_names};
    case FieldKind::day_of_week:
      return {.low = 0,
              .high = 6,
              .favourites = {0, 6, focus.day_of_week},
              .star = 55,
              .stepped_star = 5,
              .names = weekday_names};
    case FieldKind::year:
      return {.low = 1970, .high = 2110, .favourites = {focus.year, focus.year + 1}, .star = 65, .stepped_star = 20};
  }
  std::unreachable();
}

enum class Form { single, range, stepped_range, open_step };

std::string in_some_case(const std::string& name) {
  if (pick_chance(70)) return name;
  std::string changed;
  for (const char c : name) {
    changed += pick_chance(50) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return changed;
}

int pick_value(const Palette& palette) {
  return pick_chance(40) ? *rc::gen::elementOf(palette.favourites) : pick_between(palette.low, palette.high);
}

std::string write_value(const Palette& palette, int value) {
  if (!palette.names.empty() && pick_chance(40)) {
    return in_some_case(palette.names[static_cast<std::size_t>(value - palette.low)]);
  }
  return pick_chance(5) ? fmt::format("{:02}", value) : fmt::format("{}", value);
}

int pick_step(const Palette& palette) {
  if (pick_chance(4)) return 100;
  return pick_chance(70) ? pick_between(1, 7) : pick_between(1, palette.high - palette.low + 1);
}

std::string write_range(const Palette& palette, bool is_weekday) {
  const int first = pick_value(palette);
  if (is_weekday && pick_chance(30)) {
    // Sunday ends a range under each of its names; `0-0` would be Sunday alone.
    const std::string sunday = first == 0 ? "7" : *rc::gen::element<std::string>("7", "SUN", "0");
    return fmt::format("{}-{}", write_value(palette, first), sunday);
  }
  return fmt::format("{}-{}", write_value(palette, first), write_value(palette, pick_between(first, palette.high)));
}

std::string pick_item(const Palette& palette, bool is_weekday = false) {
  const Form form = *rc::gen::weightedElement<Form>(
      {{50, Form::single}, {25, Form::range}, {15, Form::stepped_range}, {10, Form::open_step}});
  switch (form) {
    case Form::single: return write_value(palette, pick_value(palette));
    case Form::range: return write_range(palette, is_weekday);
    case Form::stepped_range: return fmt::format("{}/{}", write_range(palette, is_weekday), pick_step(palette));
    case Form::open_step: return fmt::format("{}/{}", write_value(palette, pick_value(palette)), pick_step(palette));
  }
  return "*";
}

template <typename PickItem>
std::string pick_list(const PickItem& item) {
  std::string text = item();
  const int more = *rc::gen::weightedElement<int>({{70, 0}, {20, 1}, {10, 2}});
  for (int i = 0; i < more; ++i) text += "," + item();
  return text;
}

std::string pick_day_item(const Palette& days) {
  switch (*rc::gen::weightedElement<int>({{60, 0}, {10, 1}, {10, 2}, {12, 3}, {8, 4}})) {
    case 1: return *rc::gen::element<std::string>("L", "L", "l");
    case 2: return fmt::format("L-{}", pick_between(1, 30));
    case 3: return fmt::format("{}W", pick_value(days));
    case 4: return *rc::gen::element<std::string>("LW", "LW", "lw");
    default: return pick_item(days);
  }
}

std::string pick_one_weekday(const Palette& weekdays) {
  return pick_chance(10) ? std::string("7") : write_value(weekdays, pick_between(0, 6));
}

std::string pick_weekday_item(const Palette& weekdays) {
  switch (*rc::gen::weightedElement<int>({{60, 0}, {5, 1}, {10, 2}, {15, 3}, {10, 4}})) {
    case 1: return "7";
    case 2: return pick_one_weekday(weekdays) + "L";
    case 3: return fmt::format("{}#{}", pick_one_weekday(weekdays), pick_between(1, 5));
    case 4: return pick_one_weekday(weekdays) + "#L";
    default: return pick_item(weekdays, true);
  }
}

std::string pick_item_of(FieldKind kind, const Palette& palette) {
  if (kind == FieldKind::day_of_month) return pick_day_item(palette);
  if (kind == FieldKind::day_of_week) return pick_weekday_item(palette);
  return pick_item(palette);
}

CalendarField pick_ranges(const Palette& palette) {
  std::vector<CalendarRange> ranges;
  const int count = *rc::gen::weightedElement<int>({{75, 1}, {15, 2}, {10, 3}});
  for (int i = 0; i < count; ++i) {
    const int start = pick_value(palette);
    const int end = pick_chance(50) ? start : pick_between(start, palette.high);
    ranges.push_back({.start = start, .end = end, .step = pick_chance(60) ? 1 : pick_between(1, 7)});
  }
  return ranges;
}

}  // namespace

int pick_between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

bool pick_chance(int percent) { return pick_between(0, 99) >= 100 - percent; }

std::string pick_field_text(FieldKind kind, const Focus& focus) {
  const Palette palette = palette_of(kind, focus);
  const bool is_day = kind == FieldKind::day_of_month || kind == FieldKind::day_of_week;
  if (is_day && pick_chance(5)) return "?";
  if (pick_chance(palette.star)) return "*";
  if (pick_chance(palette.stepped_star)) return fmt::format("*/{}", pick_step(palette));
  const std::string list = pick_list([&] { return pick_item_of(kind, palette); });
  return pick_chance(1) ? "*," + list : list;
}

CalendarField pick_calendar_field(FieldKind kind, const Focus& focus) {
  if (pick_chance(35)) return pick_ranges(palette_of(kind, focus));
  return pick_field_text(kind, focus);
}

}  // namespace carillon::oracle
