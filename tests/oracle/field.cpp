#include "oracle/field.hpp"

#include "oracle/pattern.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace carillon::oracle {

const FieldBounds second_bounds{.low = 0, .high = 59, .names = {}};
const FieldBounds minute_bounds{.low = 0, .high = 59, .names = {}};
const FieldBounds hour_bounds{.low = 0, .high = 23, .names = {}};
const FieldBounds day_of_month_bounds{.low = 1, .high = 31, .names = {}};
const FieldBounds month_bounds{
    .low = 1,
    .high = 12,
    .names = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}};
const FieldBounds day_of_week_bounds{
    .low = 0, .high = 6, .names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}, .wraps_to_sunday = true};
const FieldBounds year_bounds{.low = 1900, .high = 2199, .names = {}};

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string upper_case(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

int number_of(const FieldBounds& bounds, const std::string& token) {
  const auto name = std::find(bounds.names.begin(), bounds.names.end(), token);
  if (name != bounds.names.end()) return bounds.low + static_cast<int>(name - bounds.names.begin());
  if (token.empty() || token.size() > 4) throw std::invalid_argument("not a number: " + token);
  for (const char c : token) {
    if (c < '0' || c > '9') throw std::invalid_argument("not a number: " + token);
  }
  return std::stoi(token);
}

bool is_special(const FieldBounds& bounds, const std::string& item) {
  if (&bounds == &day_of_month_bounds) return item.find_first_of("LW") != std::string::npos;
  if (&bounds == &day_of_week_bounds) return item.back() == 'L' || item.find('#') != std::string::npos;
  return false;
}

struct Span {
  int first;
  int last;
};

Span span_of(const FieldBounds& bounds, const std::string& body, bool has_step) {
  if (body == "*" || body == "?") return {.first = bounds.low, .last = bounds.high};
  const std::vector<std::string> ends = split(body, '-');
  const int first = number_of(bounds, ends[0]);
  if (ends.size() == 1) return {.first = first, .last = has_step ? bounds.high : first};
  int last = number_of(bounds, ends.at(1));
  if (bounds.wraps_to_sunday && last == 0 && first > 0) last = 7;
  return {.first = first, .last = last};
}

void add_plain_item(const FieldBounds& bounds, const std::string& item, std::set<int>& values) {
  const std::vector<std::string> parts = split(item, '/');
  const int step = parts.size() == 1 ? 1 : number_of(bounds, parts.at(1));
  const Span span = span_of(bounds, parts[0], parts.size() > 1);
  const int high = bounds.wraps_to_sunday ? 7 : bounds.high;
  if (step < 1 || span.first < bounds.low || span.first > span.last || span.last > high) {
    throw std::invalid_argument("out of range: " + item);
  }
  for (int value = span.first; value <= span.last; value += step) {
    values.insert(bounds.wraps_to_sunday ? value % 7 : value);
  }
}

// A date `distance` days away in the same month is all that the nearest weekday needs.
bool is_weekday(const Date& date, int distance) {
  const int weekday = (date.weekday + distance % 7 + 7) % 7;
  return weekday >= 1 && weekday <= 5;
}

// The weekday (Monday to Friday) nearest to day `wanted` of the date's month, never outside that month.
int nearest_weekday(const Date& date, int wanted) {
  for (int distance = 0; distance <= 2; ++distance) {
    for (const int day : {wanted - distance, wanted + distance}) {
      if (day >= 1 && day <= date.month_length && is_weekday(date, day - date.day)) return day;
    }
  }
  throw std::logic_error("no weekday within two days");
}

int last_weekday(const Date& date) {
  int day = date.month_length;
  while (!is_weekday(date, day - date.day)) --day;
  return day;
}

bool matches_special_day(const std::string& item, const Date& date) {
  if (item == "L") return date.day == date.month_length;
  if (item == "LW") return date.day == last_weekday(date);
  if (item.starts_with("L-")) return date.day == date.month_length - std::stoi(item.substr(2));
  const int wanted = std::stoi(item);
  return wanted <= date.month_length && date.day == nearest_weekday(date, wanted);
}

bool matches_special_weekday(const std::string& item, const Date& date) {
  const std::size_t hash = item.find('#');
  const std::string ordinal = hash == std::string::npos ? "L" : item.substr(hash + 1);
  const std::string weekday = hash == std::string::npos ? item.substr(0, item.size() - 1) : item.substr(0, hash);
  if (number_of(day_of_week_bounds, weekday) % 7 != date.weekday) return false;
  if (ordinal == "L") return date.day + 7 > date.month_length;
  return (date.day - 1) / 7 + 1 == std::stoi(ordinal);
}

}  // namespace

Field field_of_text(const FieldBounds& bounds, std::string_view text) {
  Field field;
  field.starts_with_star = text.starts_with('*');
  field.is_unrestricted = text == "*" || text == "?" || text == "*/1";
  for (const std::string& item : split(upper_case(text), ',')) {
    if (item.empty()) throw std::invalid_argument("empty item");
    if (is_special(bounds, item)) {
      field.specials.push_back(item);
    } else {
      add_plain_item(bounds, item, field.values);
    }
  }
  return field;
}

Field field_of_ranges(const std::vector<CalendarRange>& ranges) {
  Field field;
  for (const CalendarRange& range : ranges) {
    for (int value = range.start; value <= range.end; value += range.step) field.values.insert(value);
  }
  return field;
}

bool matches_day_of_month(const Field& field, const Date& date) {
  if (field.values.contains(date.day)) return true;
  return std::any_of(field.specials.begin(), field.specials.end(),
                     [&](const std::string& item) { return matches_special_day(item, date); });
}

bool matches_day_of_week(const Field& field, const Date& date) {
  if (field.values.contains(date.weekday)) return true;
  return std::any_of(field.specials.begin(), field.specials.end(),
                     [&](const std::string& item) { return matches_special_weekday(item, date); });
}

}  // namespace carillon::oracle
