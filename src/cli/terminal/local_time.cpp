#include "cli/terminal/local_time.hpp"

#include <fmt/format.h>

#include <array>

namespace carillon::cli {

namespace {

constexpr std::array<std::string_view, 7> weekday_names{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 13> month_names{"",    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

WallTime wall_time(WallSecond wall) {
  const auto day_count = static_cast<std::int32_t>(floor_divide(wall, seconds_per_day));
  const auto second_of_day = static_cast<int>(wall - day_count * seconds_per_day);
  return {.date = civil_from_days(day_count),
          .weekday = weekday_from_days(day_count),
          .hour = second_of_day / 3600,
          .minute = second_of_day / 60 % 60,
          .second = second_of_day % 60};
}

WallTime wall_time(Instant instant, const Zone& zone) {
  const UtcSecond second = to_utc_second(instant);
  return wall_time(second + zone.offset_at(second));
}

std::string_view short_weekday(int weekday) { return weekday_names[static_cast<std::size_t>(weekday)]; }

std::string date_text(const WallTime& wall) {
  return fmt::format("{} {:>2} {}", short_weekday(wall.weekday), wall.date.day,
                     month_names[static_cast<std::size_t>(wall.date.month)]);
}

std::string clock_text(const WallTime& wall) {
  if (wall.second == 0) return fmt::format("{:02}:{:02}", wall.hour, wall.minute);
  return fmt::format("{:02}:{:02}:{:02}", wall.hour, wall.minute, wall.second);
}

std::string rough_duration(Duration duration) {
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(duration).count();
  const std::int64_t days = seconds / seconds_per_day;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  if (days == 0) return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
  if (days < 100) return fmt::format("{}d{}h", days, seconds / 3600 % 24);
  if (days < 730) return fmt::format("{}d", days);
  return fmt::format("{:.1f} years", static_cast<double>(days) / 365.2425);
}

std::string relative_text(Instant instant, Instant now) {
  if (instant == now) return "now";
  return instant > now ? "in " + rough_duration(instant - now) : rough_duration(now - instant) + " ago";
}

}  // namespace carillon::cli
