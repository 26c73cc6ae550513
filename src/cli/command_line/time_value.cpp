#include "cli/command_line/time_value.hpp"

#include "base/civil.hpp"
#include "base/duration_text.hpp"
#include "cli/command_line/command_error.hpp"
#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace carillon::cli {

namespace {

/// Reads fixed-width numbers and separators off the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_{text} {}

  [[nodiscard]] std::optional<int> number(std::size_t width) {
    int value = 0;
    if (text_.size() < width) return std::nullopt;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + width, value);
    if (error != std::errc{} || end != text_.data() + width || text_.front() == '-') return std::nullopt;
    text_.remove_prefix(width);
    return value;
  }

  [[nodiscard]] bool skip(std::string_view any_of) {
    if (text_.empty() || !any_of.contains(text_.front())) return false;
    text_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] bool is_done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<CivilDate> scan_date(Scanner& scanner) {
  const auto year = scanner.number(4);
  if (!year || !scanner.skip("-")) return std::nullopt;
  const auto month = scanner.number(2);
  if (!month || !scanner.skip("-")) return std::nullopt;
  const auto day = scanner.number(2);
  return day ? checked_date(*year, *month, *day) : std::nullopt;
}

/// Seconds since midnight: `02:30`, `02:30:15`.
std::optional<int> scan_clock(Scanner& scanner) {
  const auto hour = scanner.number(2);
  if (!hour || !scanner.skip(":")) return std::nullopt;
  const auto minute = scanner.number(2);
  const auto second = scanner.skip(":") ? scanner.number(2) : std::optional<int>{0};
  if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

/// A clock behind a date; nothing at all is midnight.
std::optional<int> scan_time_of_day(Scanner& scanner) {
  if (scanner.is_done()) return 0;
  if (!scanner.skip(" Tt")) return std::nullopt;
  return scan_clock(scanner);
}

std::optional<int> parse_clock(std::string_view text) {
  Scanner scanner{text};
  const auto second_of_day = scan_clock(scanner);
  return scanner.is_done() ? second_of_day : std::nullopt;
}

/// `today`, `tomorrow`, `yesterday`, each perhaps with a clock behind it.
std::optional<WallSecond> parse_day_word(std::string_view text, const Zone& zone, Instant now) {
  struct DayWord {
    std::string_view word;
    int days;
  };
  constexpr DayWord words[] = {{"today", 0}, {"tomorrow", 1}, {"yesterday", -1}};
  for (const auto& [word, days] : words) {
    if (!text.starts_with(word)) continue;
    Scanner scanner{text.substr(word.size())};
    const auto second_of_day = scan_time_of_day(scanner);
    if (!second_of_day || !scanner.is_done()) return std::nullopt;
    const CivilDate date = wall_time(now, zone).date;
    return (days_from_civil(date.year, date.month, date.day) + days) * seconds_per_day + *second_of_day;
  }
  return std::nullopt;
}

std::optional<WallSecond> parse_wall_time(std::string_view text) {
  Scanner scanner{text};
  const auto date = scan_date(scanner);
  if (!date || date->year < 1900 || date->year > 2199) return std::nullopt;
  const auto second_of_day = scan_time_of_day(scanner);
  if (!second_of_day || !scanner.is_done()) return std::nullopt;
  return days_from_civil(date->year, date->month, date->day) * seconds_per_day + *second_of_day;
}

Instant instant_of(WallSecond wall, const Zone& zone) {
  const Zone::Period& period = zone.period(zone.period_passing(wall));
  const UtcSecond second = std::max(wall - period.offset, period.begin);
  return std::clamp(Instant{std::chrono::seconds{second}}, instant_min, instant_max);
}

/// `2h`, `+5m`, `-90s`: so far from now.
std::optional<Instant> parse_distance(std::string_view text, TimeSide side, Instant now) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const auto distance = parse_duration(has_sign ? text.substr(1) : text);
  if (!distance) return std::nullopt;
  const bool is_ahead = has_sign ? text.front() == '+' : side == TimeSide::future;
  return is_ahead ? std::min(now + *distance, instant_max) : std::max(now - *distance, instant_min);
}

/// A clock alone: today's, unless that lies on the wrong side of now.
Instant nearest_clock(int second_of_day, const Zone& zone, TimeSide side, Instant now) {
  const CivilDate today = wall_time(now, zone).date;
  const std::int64_t day = days_from_civil(today.year, today.month, today.day);
  const auto on = [&](std::int64_t date) { return instant_of(date * seconds_per_day + second_of_day, zone); };
  const Instant time = on(day);
  if (side == TimeSide::past && time > now) return on(day - 1);
  return side == TimeSide::future && time <= now ? on(day + 1) : time;
}

}  // namespace

Result<Instant> time_value(std::string_view flag, std::string_view text, const Zone& zone, TimeSide side, Instant now) {
  if (text == "now") return now;
  if (const auto distant = parse_distance(text, side, now)) return *distant;
  if (const auto clock = parse_clock(text)) return nearest_clock(*clock, zone, side, now);
  if (const auto wall = parse_day_word(text, zone, now)) return instant_of(*wall, zone);
  if (const auto wall = parse_wall_time(text)) return instant_of(*wall, zone);
  auto instant = parse_instant(text);
  if (instant) return instant;
  Error error = shown_in(std::move(instant).error(), text);
  error.message = fmt::format("{}: {}", flag, error.message);
  error.hint =
      "for example 2h, +5m, now, 02:30, 'tomorrow 09:00', 2027-03-14, '2027-03-14 02:30' or 2027-03-14T02:30:00Z";
  return std::unexpected(std::move(error));
}

bool depends_on_zone(std::string_view text) {
  return parse_clock(text) || parse_wall_time(text) || parse_day_word(text, *Zone::utc(), Instant{});
}

}  // namespace carillon::cli
