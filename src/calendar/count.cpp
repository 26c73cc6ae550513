#include "base/civil.hpp"
#include "calendar/sources.hpp"
#include "calendar/walk.hpp"

#include <array>
#include <bit>
#include <map>
#include <utility>

namespace carillon {
namespace {

/// Each has 11 KB; few specs have more than a dozen.
constexpr std::size_t kind_count_max = 1'024;

/// Times of one day as bits, one word per minute.
using DayTimes = std::array<std::uint64_t, 24 * 60>;

bool contains(const DayTimes& times, std::int64_t second_of_day) {
  return times[static_cast<std::size_t>(second_of_day / 60)] >> (second_of_day % 60) & 1;
}

void add(DayTimes& times, std::int64_t second_of_day) {
  times[static_cast<std::size_t>(second_of_day / 60)] |= std::uint64_t{1} << (second_of_day % 60);
}

/// Counts the occurrences of days without clock change. Days alike in what matches, what is excluded and where
/// intervals fall are counted once.
class DayCounter {
 public:
  DayCounter(const Sources& sources, Budget& budget) : sources_{sources}, budget_{budget} {}

  std::uint64_t count(std::int32_t day_count, std::int64_t offset) {
    if (!budget_.take(sources_.exclusions.steps_per_day() + sources_.steps_per_question())) return 0;
    const Exclusions::Day excluded = sources_.exclusions.on(day_count);
    if (excluded.is_whole) return 0;
    std::uint64_t walls = 0;
    for (std::size_t i = 0; i < sources_.walls.size(); ++i) {
      if (sources_.walls[i].rule.matches_day(day_count)) walls |= std::uint64_t{1} << i;
    }
    if (kinds_.size() >= kind_count_max) kinds_.clear();
    auto [kind, is_new] = kinds_.try_emplace({walls, excluded.partial});
    if (is_new) kind->second = make_kind(walls, excluded.partial);
    if (sources_.intervals.empty()) return kind->second.wall_count;

    std::vector<std::int64_t> phases;
    const UtcSecond midnight = day_count * seconds_per_day - offset;
    for (const IntervalSource& interval : sources_.intervals)
      phases.push_back(interval.point_after(midnight - 1) - midnight);
    return kind->second.wall_count + count_points(kind->second, phases);
  }

 private:
  /// What days with the same matching rules have in common.
  struct DayKind {
    std::uint64_t wall_count = 0;
    DayTimes taken{};  // excluded, or an occurrence already: an interval's point there adds nothing
    std::map<std::vector<std::int64_t>, std::uint64_t> points_by_phases;
  };

  [[nodiscard]] DayKind make_kind(std::uint64_t walls, std::uint64_t excluded) const {
    DayKind kind;
    const auto rule_count = static_cast<std::uint64_t>(std::popcount(walls) + std::popcount(excluded));
    if (!budget_.take(24 * 60 * (1 + rule_count))) return kind;
    for (int minute = 0; minute < 24 * 60; ++minute) {
      std::uint64_t seconds = 0;
      for (std::uint64_t left = walls; left != 0; left &= left - 1) {
        const WallRule& rule = sources_.walls[static_cast<std::size_t>(std::countr_zero(left))].rule;
        if ((rule.hours >> (minute / 60) & 1) && (rule.minutes >> (minute % 60) & 1)) seconds |= rule.seconds;
      }
      const std::uint64_t excluded_seconds = sources_.exclusions.seconds_of(excluded, minute / 60, minute % 60);
      kind.wall_count += static_cast<std::uint64_t>(std::popcount(seconds & ~excluded_seconds));
      kind.taken[static_cast<std::size_t>(minute)] = seconds | excluded_seconds;
    }
    return kind;
  }

  std::uint64_t count_points(DayKind& kind, const std::vector<std::int64_t>& phases) const {
    const auto known = kind.points_by_phases.find(phases);
    if (known != kind.points_by_phases.end()) return known->second;
    const std::uint64_t count = phases.size() == 1 ? count_points_of_one(kind, phases[0]) : count_union(kind, phases);
    if (budget_.is_spent()) return 0;
    // Long intervals fall differently on nearly every day, but then they have few points to look at.
    if (kind.points_by_phases.size() < 4096) kind.points_by_phases.emplace(phases, count);
    return count;
  }

  [[nodiscard]] std::uint64_t count_points_of_one(const DayKind& kind, std::int64_t phase) const {
    std::uint64_t count = 0;
    for (std::int64_t point = phase; point < seconds_per_day && budget_.take(1); point += sources_.intervals[0].every)
      if (!contains(kind.taken, point)) ++count;
    return count;
  }

  /// Points that several intervals share count once.
  [[nodiscard]] std::uint64_t count_union(const DayKind& kind, const std::vector<std::int64_t>& phases) const {
    DayTimes taken = kind.taken;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const std::int64_t every = sources_.intervals[i].every;
      for (std::int64_t point = phases[i]; point < seconds_per_day && budget_.take(1); point += every) {
        if (contains(taken, point)) continue;
        add(taken, point);
        ++count;
      }
    }
    return count;
  }

  const Sources& sources_;
  Budget& budget_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, DayKind> kinds_;
};

/// Whether the whole local day that begins at `midnight` lies in one period that shows it for the first time and is not
/// the landing place of a gap.
bool is_plain_day(const Zone::Period& period, WallSecond midnight) {
  return period.wall_begin() < midnight && period.wall_seen <= midnight &&
         midnight + seconds_per_day <= period.wall_end();
}

std::uint64_t count_one_by_one(const Sources& sources, UtcSecond from, UtcSecond to, Budget& budget) {
  std::uint64_t count = 0;
  const Instant end = to_instant(to);
  Walk walk{sources, to_instant(from - 1), end, budget};
  for (auto found = walk.next(); found && *found < end; found = walk.next()) ++count;
  return count;
}

std::uint64_t count_by_days(const Sources& sources, UtcSecond from, UtcSecond to, Budget& budget) {
  DayCounter days{sources, budget};
  std::uint64_t count = 0;
  while (from < to && !budget.is_spent()) {
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
      count += count_one_by_one(sources, from, end, budget);
      from = end;
    }
  }
  return count;
}

}  // namespace

std::uint64_t Sources::count(Instant from, Instant to, Budget& budget) const {
  if (to <= from) return 0;
  const UtcSecond first = ceil_second(from);
  const UtcSecond end = ceil_second(to);
  if (walls.empty() && times.empty() && exclusions.is_empty() && intervals.size() == 1)
    return intervals[0].count(first, end);

  const Sources repeating{.walls = walls, .intervals = intervals, .times = {}, .exclusions = exclusions, .zone = zone};
  std::uint64_t count = 0;
  for (auto time = std::ranges::lower_bound(times, from); time != times.end() && *time < to; ++time) {
    if (!budget.take(steps_per_question())) return count;
    if (repeating.next(*time - Duration{1}, *time, budget) != *time) ++count;
  }
  if (!walls.empty() || !intervals.empty()) count += count_by_days(repeating, first, end, budget);
  return count;
}

}  // namespace carillon
