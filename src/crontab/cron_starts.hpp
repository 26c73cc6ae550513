#pragma once

#include "calendar/zone.hpp"
#include "crontab/cron_times.hpp"

#include <vector>

namespace carillon {

/// Whose clock a line follows.
enum class CronClock {
  daemon,  // that of cron itself, which knows when it jumps
  line,    // that of CRON_TZ: cronie compares each minute with it and makes nothing of its jumps
};

/// Every start in [from, to) of a cron that never stops, ascending. An instant stands there as often as cron starts the
/// line at it: after a jump forward that may be more than once.
[[nodiscard]] std::vector<UtcSecond> cron_starts(const CronTimes& times, const Zone& zone, CronClock clock,
                                                 UtcSecond from, UtcSecond to);

/// Jumps of the clock up to this many minutes are made up for minute by minute, for every line alike.
inline constexpr std::int64_t small_jump_minutes = 5;
/// From here on a jump is a correction: cron goes on with the new time and makes nothing up.
inline constexpr std::int64_t large_jump_minutes = 180;

}  // namespace carillon
