#include "oracle/pattern.hpp"

#include "oracle/field.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace carillon::oracle {
namespace {

template <std::size_t size>
std::array<bool, size> as_table(const std::set<int>& values) {
  std::array<bool, size> table{};
  for (const int value : values) table.at(static_cast<std::size_t>(value)) = true;
  return table;
}

struct Fields {
  Field second, minute, hour, day_of_month, month, day_of_week, year;
};

Pattern time_pattern(const Fields& fields) {
  Pattern pattern;
  pattern.seconds = as_table<60>(fields.second.values);
  pattern.minutes = as_table<60>(fields.minute.values);
  pattern.hours = as_table<24>(fields.hour.values);
  pattern.follows_clock =
      fields.second.starts_with_star || fields.minute.starts_with_star || fields.hour.starts_with_star;
  return pattern;
}

bool is_month_of(const Fields& fields, const Date& date) {
  if (!fields.month.values.contains(date.month)) return false;
  return fields.year.is_unrestricted || fields.year.values.contains(date.year);
}

bool matches_cron_date(const Fields& fields, const Date& date) {
  if (!is_month_of(fields, date)) return false;
  const bool dom = matches_day_of_month(fields.day_of_month, date);
  const bool dow = matches_day_of_week(fields.day_of_week, date);
  if (fields.day_of_month.is_unrestricted) return dow;
  if (fields.day_of_week.is_unrestricted) return dom;
  return dom || dow;
}

bool matches_calendar_date(const Fields& fields, const Date& date) {
  return is_month_of(fields, date) && matches_day_of_month(fields.day_of_month, date) &&
         matches_day_of_week(fields.day_of_week, date);
}

std::string lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string without_alias(std::string_view text) {
  static const std::map<std::string, std::string> aliases{
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
      {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"}};
  const std::vector<std::string> words = words_of(text);
  if (words.size() != 1) return std::string(text);
  const auto alias = aliases.find(lower_case(words[0]));
  return alias == aliases.end() ? std::string(text) : alias->second;
}

Field field_of(const FieldBounds& bounds, const CalendarField& given) {
  if (const auto* text = std::get_if<std::string>(&given)) return field_of_text(bounds, *text);
  return field_of_ranges(std::get<std::vector<CalendarRange>>(given));
}

}  // namespace

Date date_of(Second day_count) {
  using namespace std::chrono;
  const sys_days days{std::chrono::days{day_count}};
  const year_month_day ymd{days};
  const year_month_day_last last{ymd.year() / ymd.month() / std::chrono::last};
  return {.year = static_cast<int>(ymd.year()),
          .month = static_cast<int>(static_cast<unsigned>(ymd.month())),
          .day = static_cast<int>(static_cast<unsigned>(ymd.day())),
          .weekday = static_cast<int>(weekday{days}.c_encoding()),
          .month_length = static_cast<int>(static_cast<unsigned>(last.day()))};
}

bool Pattern::matches(Second wall) const {
  const Second day = (wall - ((wall % day_length) + day_length) % day_length) / day_length;
  return matches_time(wall - day * day_length) && matches_date(date_of(day));
}

std::vector<Second> Pattern::times_of_day() const {
  std::vector<Second> times;
  const Second distance = step();
  for (Second time = 0; time < day_length; time += distance) {
    if (matches_time(time)) times.push_back(time);
  }
  return times;
}

Second Pattern::step() const {
  const bool is_only_zero = seconds[0] && std::count(seconds.begin(), seconds.end(), true) == 1;
  return is_only_zero ? 60 : 1;
}

Pattern pattern_of_cron(std::string_view text) {
  std::vector<std::string> words = words_of(without_alias(text));
  if (words.size() == 5) words.insert(words.begin(), "0");
  if (words.size() != 6) throw std::invalid_argument("neither five nor six fields");
  const Fields fields{.second = field_of_text(second_bounds, words[0]),
                      .minute = field_of_text(minute_bounds, words[1]),
                      .hour = field_of_text(hour_bounds, words[2]),
                      .day_of_month = field_of_text(day_of_month_bounds, words[3]),
                      .month = field_of_text(month_bounds, words[4]),
                      .day_of_week = field_of_text(day_of_week_bounds, words[5]),
                      .year = field_of_text(year_bounds, "*")};
  Pattern pattern = time_pattern(fields);
  pattern.matches_date = [fields](const Date& date) { return matches_cron_date(fields, date); };
  return pattern;
}

Pattern pattern_of_calendar(const Calendar& calendar) {
  const Fields fields{.second = field_of(second_bounds, calendar.second),
                      .minute = field_of(minute_bounds, calendar.minute),
                      .hour = field_of(hour_bounds, calendar.hour),
                      .day_of_month = field_of(day_of_month_bounds, calendar.day_of_month),
                      .month = field_of(month_bounds, calendar.month),
                      .day_of_week = field_of(day_of_week_bounds, calendar.day_of_week),
                      .year = field_of(year_bounds, calendar.year)};
  Pattern pattern = time_pattern(fields);
  pattern.matches_date = [fields](const Date& date) { return matches_calendar_date(fields, date); };
  return pattern;
}

}  // namespace carillon::oracle
