#include "calendar/cron_field.hpp"

#include "base/quoted.hpp"

#include <array>
#include <span>

namespace carillon {
namespace {

constexpr std::array<std::string_view, 12> month_names{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                       "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> weekday_names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
constexpr std::size_t digits_max = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::size_t index_of_name(std::string_view text, std::span<const std::string_view> names) {
  std::size_t index = 0;
  for (; index < names.size(); ++index) {
    const std::string_view name = names[index];
    if (upper(text[0]) == name[0] && upper(text[1]) == name[1] && upper(text[2]) == name[2]) break;
  }
  return index;
}

constexpr std::array<std::string_view, 7> field_names{"second", "minute",      "hour", "day of month",
                                                      "month",  "day of week", "year"};

/// First through last as a mask; both below 64.
constexpr std::uint64_t mask_of(int first, int last) {
  return (~std::uint64_t{0} >> (63 - last)) & (~std::uint64_t{0} << first);
}

std::string range_text(FieldRange range) { return fmt::format("{} to {}", range.min, range.max); }

}  // namespace

std::string_view to_text(CronField field) { return field_names[static_cast<std::size_t>(field)]; }

FieldRange range_of(CronField field) {
  constexpr std::array<FieldRange, 7> ranges{{{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}, {1900, 2199}}};
  return ranges[static_cast<std::size_t>(field)];
}

bool CronFieldParser::refuse(Item item, std::size_t position, std::string why, std::string hint,
                             std::string_view rule) {
  const std::size_t absolute = offset_ + item.begin + position;
  error_ = Error{.code = ErrorCode::invalid_argument,
                 .message = fmt::format("{} in the {} field (column {}) {}", quoted(item.text), to_text(field_),
                                        absolute + 1, why),
                 .hint = std::move(hint),
                 .rule = rule,
                 .position = absolute,
                 .context = {}};
  return false;
}

bool CronFieldParser::parse() {
  shape_.starts_with_star = token_.starts_with('*');
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = std::min(token_.find(',', begin), token_.size());
    if (!parse_item({.text = token_.substr(begin, comma - begin), .begin = begin})) return false;
    if (comma == token_.size()) return true;
    begin = comma + 1;
  }
}

bool CronFieldParser::parse_item(Item item) {
  if (item.text.empty()) {
    return refuse({.text = token_, .begin = 0}, item.begin, "has an empty item", "remove the extra comma");
  }
  const char first = item.text.front();
  if (first == '*' || first == '?') return parse_star(item);
  if (upper(first) == 'L' && (item.text.size() == 1 || !is_letter(item.text[1]) || upper(item.text[1]) == 'W')) {
    return parse_last_day(item);
  }
  return parse_value_item(item);
}

bool CronFieldParser::parse_star(Item item) {
  const bool is_day_field = field_ == CronField::day_of_month || field_ == CronField::day_of_week;
  if (item.text.front() == '?') {
    if (!is_day_field) return refuse(item, 0, "is only for the two day fields", "write *");
    shape_.is_question_mark = true;
  }
  int step = 1;
  if (item.text.size() > 1) {
    if (item.text[1] != '/')
      return refuse(item, 1, "has something after the star", "write */n for a step, or a list like 1,2");
    if (!parse_step(item, 1, step)) return false;
  }
  const bool stands_alone = item.text.size() == token_.size();
  if (stands_alone && item.text.front() == '*' && item.text.size() > 1)
    shape_.star_step = static_cast<std::uint16_t>(step);
  if (step != 1) {
    const FieldRange range = range_of(field_);
    add(range.min, range.max, step);
    return true;
  }
  if (stands_alone && field_ == CronField::day_of_month) rule_.day.any_day_of_month = true;
  if (stands_alone && field_ == CronField::day_of_week) rule_.day.any_day_of_week = true;
  if (stands_alone && field_ == CronField::year) {
    rule_.any_year = true;
    return true;
  }
  add_all();
  return true;
}

bool CronFieldParser::parse_last_day(Item item) {
  if (field_ == CronField::day_of_week) {
    return refuse(item, 0, "needs a weekday",
                  "write 5L or FRIL for the last Friday, or put L into the day-of-month field");
  }
  if (field_ != CronField::day_of_month) return refuse(item, 0, "is only for the day fields", "write a number or *");
  const std::string_view rest = item.text.substr(1);
  if (rest.empty()) {
    rule_.day.days_before_last |= 1;
    return true;
  }
  if (rest.size() == 1 && upper(rest[0]) == 'W') {
    rule_.day.last_weekday = true;
    return true;
  }
  const Value value = rest[0] == '-' ? read_value(rest.substr(1)) : Value{0, 0, false};
  if (value.length == 0 || value.length + 1 != rest.size()) {
    return refuse(item, 1, "is not a last-day rule", "write L, LW, or L-n for n days before the last");
  }
  if (value.number < 1 || value.number > 30)
    return refuse(item, 2, "reaches out of the month", "n of L-n goes from 1 to 30");
  rule_.day.days_before_last |= std::uint32_t{1} << value.number;
  return true;
}

CronFieldParser::Value CronFieldParser::read_value(std::string_view text) const {
  std::size_t length = 0;
  int number = 0;
  while (length < text.size() && is_digit(text[length])) {
    // Longer numbers stay out of range however many digits follow.
    if (length < digits_max + 1) number = number * 10 + (text[length] - '0');
    ++length;
  }
  if (length > digits_max) number = 99999;
  if (length > 0) return {number, length, false};
  if (text.size() < 3 || !is_letter(text[0])) return {0, 0, false};
  if (field_ == CronField::month) {
    if (const auto index = index_of_name(text, month_names); index < month_names.size())
      return {static_cast<int>(index) + 1, 3, true};
  }
  if (field_ == CronField::day_of_week) {
    if (const auto index = index_of_name(text, weekday_names); index < weekday_names.size())
      return {static_cast<int>(index), 3, true};
  }
  return {0, 0, false};
}

bool CronFieldParser::check_value(Item item, std::size_t begin, Value value) {
  const FieldRange range = range_of(field_);
  const int max = field_ == CronField::day_of_week ? 7 : range.max;
  if (value.is_name) shape_.has_name = true;
  if (value.number >= range.min && value.number <= max) {
    if (value.number == 7 && field_ == CronField::day_of_week) shape_.has_seven = true;
    return true;
  }
  const std::string_view why = value.length > digits_max  ? "has more than four digits"
                               : value.number < range.min ? "is below the range"
                                                          : "is above the range";
  std::string hint = field_ == CronField::day_of_week ? "days of the week go from 0 (Sunday) to 6, and 7 is Sunday too"
                                                      : fmt::format("use {}", range_text(range));
  return refuse(item, begin, std::string{why}, std::move(hint));
}

bool CronFieldParser::refuse_unreadable(Item item) {
  const char first = item.text.front();
  const char kind = upper(first);
  if (first == '-' || first == '+') return refuse(item, 0, "has a sign", "write the number alone");
  if (first == '/')
    return refuse(item, 0, "has a step without a start", fmt::format("write *{}", item.text.substr(0, 8)));
  if (item.text.size() == 1 && (kind == 'H' || kind == 'R')) {
    return refuse(item, 0, "asks for a random value", "write a fixed value and use jitter to spread runs");
  }
  if (kind == 'W') return refuse(item, 0, "needs a day before W", "write 15W, or LW for the last weekday");
  if (is_letter(first)) {
    if (field_ == CronField::month) return refuse(item, 0, "is not a month", "use JAN to DEC or 1 to 12");
    if (field_ == CronField::day_of_week) return refuse(item, 0, "is not a weekday", "use SUN to SAT or 0 to 7");
    return refuse(item, 0, "is not a number",
                  fmt::format("use {}, * or a list like 1,2", range_text(range_of(field_))));
  }
  return refuse(item, 0, "cannot be read", fmt::format("use {}, *, a-b, */n or a list", range_text(range_of(field_))));
}

bool CronFieldParser::parse_value_item(Item item) {
  const Value value = read_value(item.text);
  if (value.length == 0) return refuse_unreadable(item);
  if (!check_value(item, 0, value)) return false;
  if (value.length == item.text.size()) {
    add(value.number, value.number, 1);
    return true;
  }
  return parse_after_value(item, value);
}

bool CronFieldParser::parse_after_value(Item item, Value value) {
  const char mark = item.text[value.length];
  switch (upper(mark)) {
    case '-': return parse_range(item, value);
    case '/': {
      int step = 1;
      if (!parse_step(item, value.length, step)) return false;
      if (field_ == CronField::day_of_week && value.number == 7) {
        return refuse(item, 0, "starts at 7, the end of the week", fmt::format("write 0{}", item.text.substr(1)));
      }
      shape_.has_open_step = true;
      add(value.number, range_of(field_).max, step);
      return true;
    }
    case 'W':
      if (field_ == CronField::day_of_month) return parse_nearest_weekday(item, value);
      break;
    case 'L':
      if (field_ == CronField::day_of_week) return parse_last_weekday(item, value);
      break;
    case '#':
      if (field_ == CronField::day_of_week) return parse_nth_weekday(item, value);
      break;
    case '~':
      return refuse(item, value.length, "asks for a random value", "write a fixed value and use jitter to spread runs");
    default: break;
  }
  if (mark == 'W' || mark == 'w')
    return refuse(item, value.length, "uses W, which is for the day of month", "move it to the third-last field");
  if (mark == 'L' || mark == 'l' || mark == '#') {
    return refuse(item, value.length, fmt::format("uses {}, which is for the day of week", mark),
                  "write it in the last field, like 5L or MON#2");
  }
  return refuse(item, value.length, "has something after the value", "separate values by commas, fields by spaces");
}

bool CronFieldParser::parse_nearest_weekday(Item item, Value value) {
  if (item.text.size() != value.length + 1)
    return refuse(item, value.length + 1, "has something after W",
                  "write 15W alone; ranges and steps do not go with W");
  rule_.day.nearest_weekdays |= std::uint32_t{1} << value.number;
  return true;
}

bool CronFieldParser::parse_last_weekday(Item item, Value value) {
  if (item.text.size() != value.length + 1)
    return refuse(item, value.length + 1, "has something after L", "write 5L for the last Friday");
  rule_.day.last_weekdays = static_cast<std::uint8_t>(rule_.day.last_weekdays | 1 << (value.number % 7));
  return true;
}

bool CronFieldParser::parse_nth_weekday(Item item, Value value) {
  const std::string_view rest = item.text.substr(value.length + 1);
  if (rest.size() == 1 && upper(rest[0]) == 'L') {
    rule_.day.last_weekdays = static_cast<std::uint8_t>(rule_.day.last_weekdays | 1 << (value.number % 7));
    return true;
  }
  if (rest.size() != 1 || rest[0] < '1' || rest[0] > '5') {
    return refuse(item, value.length + 1, "does not say which one of the month", "write #1 to #5, or #L for the last");
  }
  rule_.day.nth_weekdays |= std::uint64_t{1} << (7 * (rest[0] - '1') + value.number % 7);
  return true;
}

bool CronFieldParser::refuse_reversed(Item item, int first, int last) {
  const FieldRange range = range_of(field_);
  const auto part = [](int from, int to) {
    return from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
  };
  return refuse(item, 0, "runs backwards", fmt::format("write {},{}", part(first, range.max), part(range.min, last)));
}

bool CronFieldParser::parse_range(Item item, Value first) {
  const std::size_t last_begin = first.length + 1;
  const Value last = read_value(item.text.substr(last_begin));
  if (last.length == 0) return refuse(item, last_begin, "has no end of the range", "write a-b");
  if (!check_value(item, last_begin, last)) return false;
  const std::size_t slash = last_begin + last.length;
  int step = 1;
  if (slash != item.text.size()) {
    if (item.text[slash] != '/')
      return refuse(item, slash, "has something after the range", "write a-b or a-b/n; separate items by commas");
    if (!parse_step(item, slash, step)) return false;
  }
  int end = last.number;
  if (field_ == CronField::day_of_week) {
    if (first.number == 7 && end != 7)
      return refuse(item, 0, "starts at 7, the end of the week", fmt::format("write 0-{}", end));
    if (end == 0 && first.number > 0) {
      end = 7;
      shape_.has_wrapping_range = true;
    }
  }
  if (end < first.number) return refuse_reversed(item, first.number, end);
  add(first.number, end, step);
  return true;
}

bool CronFieldParser::parse_step(Item item, std::size_t slash, int& step) {
  const std::string_view text = item.text.substr(slash + 1);
  if (text.empty() || !is_digit(text[0]))
    return refuse(item, slash + 1, "has no step", "write a number from 1 after the slash");
  const Value value = read_value(text);
  if (value.length != text.size())
    return refuse(item, slash + 1 + value.length, "has something after the step",
                  "write a-b/n; separate items by commas");
  if (value.length > digits_max)
    return refuse(item, slash + 1, "has a step of more than four digits", "write a smaller step");
  if (value.number == 0) return refuse(item, slash + 1, "has a step of zero", "write a step of at least 1");
  step = value.number;
  return true;
}

void CronFieldParser::add_all() {
  const FieldRange range = range_of(field_);
  add(range.min, range.max, 1);
}

void CronFieldParser::add(int first, int last, int step) {
  if (field_ == CronField::year) {
    rule_.any_year = false;
    for (int year = first; year <= last; year += step) rule_.years.set(static_cast<std::size_t>(year - rule_year_min));
    return;
  }
  std::uint64_t values = 0;
  if (step == 1) {
    values = mask_of(first, last);
  } else {
    for (int value = first; value <= last; value += step) values |= std::uint64_t{1} << value;
  }
  switch (field_) {
    case CronField::second: rule_.seconds |= values; break;
    case CronField::minute: rule_.minutes |= values; break;
    case CronField::hour: rule_.hours |= static_cast<std::uint32_t>(values); break;
    case CronField::day_of_month: rule_.day.days |= static_cast<std::uint32_t>(values); break;
    case CronField::month: rule_.months = static_cast<std::uint16_t>(rule_.months | values); break;
    case CronField::day_of_week:
      rule_.day.weekdays = static_cast<std::uint8_t>(rule_.day.weekdays | ((values | values >> 7) & 0x7f));
      break;
    case CronField::year: break;
  }
}

}  // namespace carillon
