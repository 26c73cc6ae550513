#pragma once

#include "base/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace carillon {

/// Values from start through end, every step-th.
struct CalendarRange {
  int start;
  int end;
  int step;
  friend bool operator==(const CalendarRange&, const CalendarRange&) = default;
};

/// A calendar's field: text in the grammar of a cron field, kept as written, or a list of ranges.
using CalendarField = std::variant<std::string, std::vector<CalendarRange>>;

/// Wall times at which all fields match; day of month AND day of week.
struct Calendar {
  CalendarField second{"0"};
  CalendarField minute{"0"};
  CalendarField hour{"0"};
  CalendarField day_of_month{"*"};
  CalendarField month{"*"};
  CalendarField day_of_week{"*"};
  CalendarField year{"*"};
  std::string comment;

  /// As an exclusion reads when nothing is given: every time of every day.
  [[nodiscard]] static Calendar any() {
    Calendar calendar;
    calendar.second = calendar.minute = calendar.hour = CalendarField{"*"};
    return calendar;
  }
  friend bool operator==(const Calendar&, const Calendar&) = default;
};

enum class Anchor { creation, start, epoch };

/// Instants a fixed distance apart: anchor + offset + n · every.
struct Interval {
  Duration every;
  Duration offset{0};
  Anchor anchor = Anchor::creation;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What happens when clocks change: `cron` makes up for a skipped time and does not repeat a repeated one;
/// `literal` means nothing in a gap and twice in an overlap.
enum class DstPolicy { cron, literal };

/// The rule that yields occurrences, as written. All defaults are filled in, so that equal specs compare equal.
struct Spec {
  std::vector<std::string> crons;
  std::vector<Calendar> calendars;
  std::vector<Interval> intervals;
  std::vector<Instant> times;
  std::vector<Calendar> exclude;
  std::string timezone{"UTC"};
  std::optional<Instant> start_at;
  std::optional<Instant> end_at;
  Duration jitter{0};
  DstPolicy dst = DstPolicy::cron;

  /// Legal, and means: started by hand only.
  [[nodiscard]] bool is_empty() const {
    return crons.empty() && calendars.empty() && intervals.empty() && times.empty();
  }
  friend bool operator==(const Spec&, const Spec&) = default;
};

/// How many crons and calendars, intervals, times and exclusions a spec may have.
inline constexpr std::size_t spec_rules_max = 64;
inline constexpr std::size_t spec_times_max = 10'000;
inline constexpr std::size_t spec_excludes_max = 1'000;
/// How many steps its usual questions may take (Timetable::check_cost): about 50 ms of one processor.
inline constexpr std::uint64_t spec_steps_max = 5'000'000;

}  // namespace carillon
