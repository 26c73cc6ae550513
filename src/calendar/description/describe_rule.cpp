#include "calendar/description/describe_parts.hpp"
#include "calendar/description/words.hpp"

#include <fmt/format.h>

namespace carillon {

std::string describe_rule(const WallRule& rule) {
  const TimesText times = describe_times(rule);
  const DatesText dates = describe_dates(rule);
  std::string text = times.text;
  if (times.names_times && !dates.has_days) text += " every day";
  if (dates.text.empty()) return text;
  const bool starts_with_digit = dates.text.front() >= '0' && dates.text.front() <= '9';
  return text + (dates.starts_with_range || starts_with_digit ? ", " : " ") + dates.text;
}

std::string describe_exclusion(const WallRule& rule) {
  const DatesText dates = describe_dates(rule);
  const std::string days = (dates.starts_with_range ? "on " : "") + dates.text;
  if (rule.is_whole_day()) return days.empty() ? "at all times" : days;
  const bool has_whole_minutes = rule.seconds == mask_of(CronField::second);
  const std::string windows = has_whole_minutes ? describe_windows(rule) : "";
  if (windows.empty()) return inside_sentence(describe_rule(rule));
  return fmt::format("{} {}", windows, days.empty() ? "every day" : days);
}

}  // namespace carillon
