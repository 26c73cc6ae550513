#include "crontab/cron_times.hpp"

#include "base/civil.hpp"
#include "crontab/crontab_field.hpp"

#include <utility>

namespace carillon {
namespace {

struct Nickname {
  std::string_view word;
  std::string_view fields;
};

constexpr std::array<Nickname, 7> nicknames{{{"@yearly", "0 0 1 1 *"},
                                             {"@annually", "0 0 1 1 *"},
                                             {"@monthly", "0 0 1 * *"},
                                             {"@weekly", "0 0 * * 0"},
                                             {"@daily", "0 0 * * *"},
                                             {"@midnight", "0 0 * * *"},
                                             {"@hourly", "0 * * * *"}}};

/// 7 is Sunday as well.
std::uint32_t folded_weekdays(std::uint64_t values) {
  return static_cast<std::uint32_t>((values | values >> 7) & 0x7f);
}

}  // namespace

bool CronTimes::matches_day(std::int32_t day) const {
  const CivilDate date = civil_from_days(day);
  if ((months >> date.month & 1) == 0) return false;
  const bool day_of_month_matches = (days_of_month >> date.day & 1) != 0;
  const bool weekday_matches = (weekdays >> weekday_from_days(day) & 1) != 0;
  return needs_both_days() ? day_of_month_matches && weekday_matches : day_of_month_matches || weekday_matches;
}

std::string_view fields_of_nickname(std::string_view nickname) {
  for (const Nickname& known : nicknames)
    if (known.word == nickname) return known.fields;
  return {};
}

Result<CrontabTimes> parse_crontab_times(const std::array<std::string_view, 5>& fields, std::string_view seed) {
  std::array<CrontabFieldValues, 5> read;
  CrontabTimes result;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    read[i] = TRY(parse_crontab_field(static_cast<CrontabField>(i), fields[i], seed));
    result.has_random_value |= read[i].has_random_value;
    result.fields[i] = std::move(read[i].text);
  }
  const auto& [minute, hour, day_of_month, month, weekday] = read;
  result.times = {.minutes = minute.values,
                  .hours = static_cast<std::uint32_t>(hour.values),
                  .days_of_month = static_cast<std::uint32_t>(day_of_month.values),
                  .months = static_cast<std::uint32_t>(month.values),
                  .weekdays = folded_weekdays(weekday.values),
                  .has_minute_star = minute.has_star,
                  .has_hour_star = hour.has_star,
                  .has_day_of_month_star = day_of_month.has_star,
                  .has_weekday_star = weekday.has_star};
  return result;
}

}  // namespace carillon
