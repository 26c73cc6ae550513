#include "base/civil.hpp"
#include "calendar/sources.hpp"

#include <array>
#include <bit>
#include <compare>
#include <map>

namespace carillon {
namespace {

/// The times of one day as bits, one word per minute.
struct DayTimes {
  std::array<std::uint64_t, 24 * 60> minutes{};

  [[nodiscard]] bool contains(int second_of_day) const {
    return minutes[static_cast<std::size_t>(second_of_day / 60)] >> (second_of_day % 60) & 1;
  }
  void add(int second_of_day) {
    minutes[static_cast<std::size_t>(second_of_day / 60)] |= std::uint64_t{1} << (second_of_day % 60);
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t total = 0;
    for (const std::uint64_t minute : minutes) total += static_cast<std::uint64_t>(std::popcount(minute));
    return total;
  }
};

/// Counts the occurrences of days without clock change. Days alike in what matches, what is excluded and where
/// intervals fall are counted once.
class DayCounter {
 public:
  explicit DayCounter(const Sources& sources) : sources_{sources} {}

  std::uint64_t count(std::int32_t day_count, std::int64_t offset) {
    const Exclusions::Day excluded = sources_.exclusions.on(day_count);
    if (excluded.is_whole) return 0;
    Key key{.walls = 0, .excluded = excluded.partial, .phases = {}};
    for (std::size_t i = 0; i < sources_.walls.size(); ++i) {
      if (sources_.walls[i].rule.matches_day(day_count)) key.walls |= std::uint64_t{1} << i;
    }
    const UtcSecond midnight = day_count * seconds_per_day - offset;
    for (const IntervalSource& interval : sources_.intervals)
      key.phases.push_back(interval.point_after(midnight - 1) - midnight);
    if (key.walls == 0 && key.phases.empty()) return 0;

    const auto known = counts_.find(key);
    if (known != counts_.end()) return known->second;
    const std::uint64_t count = count_like(key);
    // Intervals that do not divide a day make every day differ; there is no point in keeping them all.
    if (counts_.size() < 4096) counts_.emplace(std::move(key), count);
    return count;
  }

 private:
  struct Key {
    std::uint64_t walls;
    std::uint64_t excluded;
    std::vector<std::int64_t> phases;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] std::uint64_t count_like(const Key& key) const {
    DayTimes times;
    for (int hour = 0; hour < 24; ++hour) {
      for (int minute = 0; minute < 60; ++minute) {
        std::uint64_t& seconds = times.minutes[static_cast<std::size_t>(hour * 60 + minute)];
        for (std::uint64_t left = key.walls; left != 0; left &= left - 1) {
          const WallRule& rule = sources_.walls[static_cast<std::size_t>(std::countr_zero(left))].rule;
          if ((rule.hours >> hour & 1) && (rule.minutes >> minute & 1)) seconds |= rule.seconds;
        }
      }
    }
    for (std::size_t i = 0; i < key.phases.size(); ++i) {
      for (std::int64_t point = key.phases[i]; point < seconds_per_day; point += sources_.intervals[i].every) {
        times.add(static_cast<int>(point));
      }
    }
    for (int minute = 0; key.excluded != 0 && minute < 24 * 60; ++minute) {
      times.minutes[static_cast<std::size_t>(minute)] &=
          ~sources_.exclusions.seconds_of(key.excluded, minute / 60, minute % 60);
    }
    return times.count();
  }

  const Sources& sources_;
  std::map<Key, std::uint64_t> counts_;
};

/// Whether the whole local day that begins at `midnight` lies in one period that shows it for the first time and is not
/// the landing place of a gap.
bool is_plain_day(const Zone::Period& period, WallSecond midnight) {
  return period.wall_begin() < midnight && period.wall_seen <= midnight &&
         midnight + seconds_per_day <= period.wall_end();
}

std::uint64_t count_one_by_one(const Sources& sources, UtcSecond from, UtcSecond to) {
  std::uint64_t count = 0;
  for (auto found = sources.next(to_instant(from - 1)); found && *found < to_instant(to); found = sources.next(*found))
    ++count;
  return count;
}

std::uint64_t count_by_days(const Sources& sources, UtcSecond from, UtcSecond to) {
  DayCounter days{sources};
  std::uint64_t count = 0;
  while (from < to) {
    const Zone::Period& period = sources.zone->period(sources.zone->period_at(from));
    const WallSecond wall = from + period.offset;
    const std::int64_t day_count = floor_divide(wall, seconds_per_day);
    const WallSecond midnight = day_count * seconds_per_day;
    const UtcSecond day_end = std::min(midnight + seconds_per_day - period.offset, period.end);
    if (wall == midnight && day_end <= to && is_plain_day(period, midnight)) {
      count += days.count(static_cast<std::int32_t>(day_count), period.offset);
      from = day_end;
    } else {
      const UtcSecond end = std::min(day_end, to);
      count += count_one_by_one(sources, from, end);
      from = end;
    }
  }
  return count;
}

}  // namespace

std::uint64_t Sources::count(Instant from, Instant to) const {
  if (to <= from) return 0;
  const UtcSecond first = ceil_second(from);
  const UtcSecond end = ceil_second(to);
  if (walls.empty() && times.empty() && exclusions.is_empty() && intervals.size() == 1)
    return intervals[0].count(first, end);

  const Sources repeating{.walls = walls, .intervals = intervals, .times = {}, .exclusions = exclusions, .zone = zone};
  std::uint64_t count = 0;
  for (auto time = std::ranges::lower_bound(times, from); time != times.end() && *time < to; ++time) {
    if (repeating.next(*time - Duration{1}) != *time) ++count;
  }
  if (!walls.empty() || !intervals.empty()) count += count_by_days(repeating, first, end);
  return count;
}

}  // namespace carillon
