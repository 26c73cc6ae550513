#include "calendar/interval_source.hpp"

#include "base/civil.hpp"
#include "base/instant.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace carillon {
namespace {

constexpr UtcSecond second_min = std::chrono::floor<std::chrono::seconds>(instant_min).time_since_epoch().count();
constexpr UtcSecond second_max = std::chrono::floor<std::chrono::seconds>(instant_max).time_since_epoch().count();

/// The part of a local day that one period shows: [begin, end) in UTC.
struct DayPart {
  UtcSecond begin;
  UtcSecond end;
  UtcSecond period_begin;
  UtcSecond period_end;
  std::int64_t wall_midnight;  // of the day
  std::int64_t offset;
  Exclusions::Day excluded;

  [[nodiscard]] int second_of_day(UtcSecond instant) const {
    return static_cast<int>(instant + offset - wall_midnight);
  }
};

DayPart day_part(const Exclusions& exclusions, const Zone& zone, UtcSecond instant) {
  const Zone::Period& period = zone.period(zone.period_at(instant));
  const std::int64_t day_count = floor_divide(instant + period.offset, seconds_per_day);
  const std::int64_t midnight = day_count * seconds_per_day;
  const UtcSecond begin = std::max(midnight - period.offset, period.begin);
  const UtcSecond end = std::min(midnight + seconds_per_day - period.offset, period.end);
  return {.begin = begin,
          .end = end,
          .period_begin = period.begin,
          .period_end = period.end,
          .wall_midnight = midnight,
          .offset = period.offset,
          .excluded = exclusions.on(static_cast<std::int32_t>(day_count))};
}

std::uint64_t steps_per_point(std::uint64_t partial) { return 1 + static_cast<std::uint64_t>(std::popcount(partial)); }

/// Tells days on which no point is left. Points fall on a day in at most `every` ways, so the search looks closely at
/// few days even when everything is excluded.
class SpentDays {
 public:
  SpentDays(const Exclusions& exclusions, std::int64_t every, Budget& budget)
      : exclusions_{exclusions}, every_{every}, budget_{budget} {}

  [[nodiscard]] bool contains(const DayPart& part, UtcSecond instant) {
    if (part.excluded.is_whole) return true;
    const std::int64_t phase = part.second_of_day(instant) % every_;
    const auto [known, is_new] = is_spent_.try_emplace({part.excluded.partial, phase}, false);
    if (is_new) known->second = !has_point_left(part.excluded.partial, phase);
    return known->second;
  }

 private:
  [[nodiscard]] bool has_point_left(std::uint64_t partial, std::int64_t phase) const {
    for (std::int64_t second = phase; second < seconds_per_day; second += every_) {
      if (!budget_.take(steps_per_point(partial))) return false;
      if (!exclusions_.excludes_time(partial, static_cast<int>(second))) return true;
    }
    return false;
  }

  const Exclusions& exclusions_;
  std::int64_t every_;
  Budget& budget_;
  std::map<std::pair<std::uint64_t, std::int64_t>, bool> is_spent_;
};

}  // namespace

UtcSecond IntervalSource::point_after(UtcSecond after) const {
  return anchor + (floor_divide(after - anchor, every) + 1) * every;
}

UtcSecond IntervalSource::point_before(UtcSecond before) const {
  return anchor + floor_divide(before - 1 - anchor, every) * every;
}

std::uint64_t IntervalSource::count(UtcSecond from, UtcSecond to) const {
  if (to <= from) return 0;
  return static_cast<std::uint64_t>(floor_divide(to - 1 - anchor, every) - floor_divide(from - 1 - anchor, every));
}

UtcSecond IntervalSource::next(const Exclusions& exclusions, const Zone& zone, UtcSecond after, UtcSecond until,
                               Budget& budget) const {
  until = std::min(until, second_max);
  UtcSecond instant = point_after(std::max(after, second_min - 1));
  if (exclusions.is_empty()) return instant > until ? none : instant;
  if (exclusions.is_everything()) return none;
  const bool are_days_alike = exclusions.is_same_every_day() && seconds_per_day % every == 0;
  SpentDays spent{exclusions, every, budget};
  while (instant <= until && budget.take(exclusions.steps_per_day())) {
    const DayPart part = day_part(exclusions, zone, instant);
    if (!part.excluded.is_whole && part.excluded.partial == 0) return instant;
    const bool is_spent = spent.contains(part, instant);
    for (UtcSecond point = instant; !is_spent && point < part.end; point += every) {
      if (!budget.take(steps_per_point(part.excluded.partial))) return none;
      if (!exclusions.excludes_time(part.excluded.partial, part.second_of_day(point))) return point;
    }
    instant = point_after((is_spent && are_days_alike ? part.period_end : part.end) - 1);
  }
  return none;
}

UtcSecond IntervalSource::previous(const Exclusions& exclusions, const Zone& zone, UtcSecond before, UtcSecond since,
                                   Budget& budget) const {
  since = std::max(since, second_min);
  UtcSecond instant = point_before(std::min(before, second_max + 1));
  if (exclusions.is_empty()) return instant < since ? none : instant;
  if (exclusions.is_everything()) return none;
  const bool are_days_alike = exclusions.is_same_every_day() && seconds_per_day % every == 0;
  SpentDays spent{exclusions, every, budget};
  while (instant >= since && budget.take(exclusions.steps_per_day())) {
    const DayPart part = day_part(exclusions, zone, instant);
    if (!part.excluded.is_whole && part.excluded.partial == 0) return instant;
    const bool is_spent = spent.contains(part, instant);
    for (UtcSecond point = instant; !is_spent && point >= part.begin; point -= every) {
      if (!budget.take(steps_per_point(part.excluded.partial))) return none;
      if (!exclusions.excludes_time(part.excluded.partial, part.second_of_day(point))) return point;
    }
    instant = point_before(is_spent && are_days_alike ? part.period_begin : part.begin);
  }
  return none;
}

}  // namespace carillon
