#include "crontab/cron_starts.hpp"

#include "base/civil.hpp"

#include <algorithm>
#include <bit>

namespace carillon {
namespace {

using WallMinute = std::int64_t;

constexpr WallMinute minutes_per_day = 1440;
// Longer than any zone's clock has ever been set back.
constexpr UtcSecond warm_up = 2 * seconds_per_day;

std::int64_t ceil_divide(std::int64_t dividend, std::int64_t divisor) { return -floor_divide(-dividend, divisor); }

/// The life of a cron daemon with one line, from one period of constant offset to the next.
///
/// The rule, from cron(8) of Debian: local time changes of less than three hours are handled specially. Lines without a
/// star in minute and hour that fell into the time skipped start right after it, and do not start again in time that is
/// repeated; lines with one follow the clock. Larger changes are corrections, and the new time is used at once.
///
/// What the page leaves out, and the daemon does: it keeps a virtual time, the last wall minute it has dealt with.
/// After a jump forward it deals with every minute missed, one by one, so that a line with two times in the gap starts
/// twice. A jump of at most five minutes counts as having overslept, and lines with a star are made up for as well.
class Daemon {
 public:
  Daemon(const CronTimes& times, UtcSecond from, std::vector<UtcSecond>& starts)
      : times_{times}, from_{from}, starts_{starts} {}

  void live_through(WallMinute first, WallMinute end, std::int64_t offset) {
    offset_ = offset;
    if (!is_alive_) virtual_time_ = first - 1;
    is_alive_ = true;
    const WallMinute regular = after_jump(first, end);
    start_in(regular, end);
    virtual_time_ = std::max(virtual_time_, end - 1);
  }

  /// With the clock of CRON_TZ: no virtual time, each minute by itself.
  void live_literally(WallMinute first, WallMinute end, std::int64_t offset) {
    offset_ = offset;
    start_in(first, end);
  }

 private:
  /// Deals with a jump of the clock before `first`; the minute from which on life is regular.
  WallMinute after_jump(WallMinute first, WallMinute end) {
    const std::int64_t difference = first - virtual_time_;
    if (difference == 1) return first;
    if (difference > large_jump_minutes || difference <= -large_jump_minutes) {
      virtual_time_ = first - 1;
      return first;
    }
    if (difference > small_jump_minutes) {
      if (times_.is_wildcard()) return first;
      make_up(virtual_time_ + 1, first);
      return first + 1;
    }
    if (difference > 0) {
      make_up(virtual_time_ + 1, first);
      return first + 1;
    }
    const WallMinute caught_up = std::min(virtual_time_ + 1, end);
    if (times_.is_wildcard()) start_in(first, caught_up);
    return caught_up;
  }

  void start_in(WallMinute first, WallMinute end) {
    for_each_match(first, end, [this](WallMinute minute) { start_at(minute * 60 - offset_); });
  }

  void make_up(WallMinute first, WallMinute now) {
    for_each_match(first, now + 1, [this, now](WallMinute) { start_at(now * 60 - offset_); });
  }

  void start_at(UtcSecond instant) {
    if (instant >= from_) starts_.push_back(instant);
  }

  template <typename Visit>
  void for_each_match(WallMinute first, WallMinute end, Visit visit) const {
    for (WallMinute day = floor_divide(first, minutes_per_day); day * minutes_per_day < end; ++day) {
      if (!times_.matches_day(static_cast<std::int32_t>(day))) continue;
      for (std::uint32_t hours = times_.hours; hours != 0; hours &= hours - 1) {
        const WallMinute hour = day * minutes_per_day + std::countr_zero(hours) * 60;
        if (hour + 60 <= first || hour >= end) continue;
        for (std::uint64_t minutes = times_.minutes; minutes != 0; minutes &= minutes - 1) {
          const WallMinute minute = hour + std::countr_zero(minutes);
          if (minute >= first && minute < end) visit(minute);
        }
      }
    }
  }

  const CronTimes& times_;
  UtcSecond from_;
  std::vector<UtcSecond>& starts_;
  std::int64_t offset_ = 0;
  WallMinute virtual_time_ = 0;
  bool is_alive_ = false;
};

}  // namespace

std::vector<UtcSecond> cron_starts(const CronTimes& times, const Zone& zone, CronClock clock, UtcSecond from,
                                   UtcSecond to) {
  std::vector<UtcSecond> starts;
  Daemon daemon{times, from, starts};
  UtcSecond begin = from - warm_up;
  for (Zone::Index index = zone.period_at(begin); begin < to; ++index) {
    const Zone::Period& period = zone.period(index);
    const UtcSecond end = std::min(period.end, to);
    const WallMinute first = ceil_divide(begin + period.offset, 60);
    const WallMinute last = ceil_divide(end + period.offset, 60);
    if (first < last) {
      if (clock == CronClock::daemon) {
        daemon.live_through(first, last, period.offset);
      } else {
        daemon.live_literally(first, last, period.offset);
      }
    }
    begin = end;
  }
  return starts;
}

}  // namespace carillon
