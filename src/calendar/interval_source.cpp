#include "calendar/interval_source.hpp"

#include "base/civil.hpp"
#include "base/instant.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace carillon {
namespace {

constexpr UtcSecond second_min = std::chrono::floor<std::chrono::seconds>(instant_min).time_since_epoch().count();
constexpr UtcSecond second_max = std::chrono::floor<std::chrono::seconds>(instant_max).time_since_epoch().count();

/// The part of a local day that one period shows: [begin, end) in UTC.
struct DayPart {
  UtcSecond begin;
  UtcSecond end;
  std::int64_t wall_midnight;  // of the day
  std::int64_t offset;
  bool is_whole_day;
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
          .wall_midnight = midnight,
          .offset = period.offset,
          .is_whole_day = end - begin == seconds_per_day,
          .excluded = exclusions.on(static_cast<std::int32_t>(day_count))};
}

/// Days on which no point is left: what is excluded, and where in the day the points lie. Only such days are noted, and
/// points fall on a day in at most `every` ways, so the search looks closely at few days.
using SpentDays = std::set<std::pair<std::uint64_t, int>>;

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

UtcSecond IntervalSource::next(const Exclusions& exclusions, const Zone& zone, UtcSecond after) const {
  UtcSecond instant = point_after(std::max(after, second_min - 1));
  if (exclusions.is_empty()) return instant > second_max ? none : instant;
  SpentDays spent;
  while (instant <= second_max) {
    const DayPart part = day_part(exclusions, zone, instant);
    if (!part.excluded.is_whole && part.excluded.partial == 0) return instant;
    const std::pair key{part.excluded.partial, part.second_of_day(instant)};
    const bool is_spent = part.excluded.is_whole || (part.is_whole_day && spent.contains(key));
    for (UtcSecond point = instant; !is_spent && point < part.end; point += every) {
      if (!exclusions.excludes_time(part.excluded.partial, part.second_of_day(point))) return point;
    }
    if (!is_spent && part.is_whole_day) spent.insert(key);
    instant = point_after(part.end - 1);
  }
  return none;
}

UtcSecond IntervalSource::previous(const Exclusions& exclusions, const Zone& zone, UtcSecond before) const {
  UtcSecond instant = point_before(std::min(before, second_max + 1));
  if (exclusions.is_empty()) return instant < second_min ? none : instant;
  SpentDays spent;
  while (instant >= second_min) {
    const DayPart part = day_part(exclusions, zone, instant);
    if (!part.excluded.is_whole && part.excluded.partial == 0) return instant;
    const std::pair key{part.excluded.partial, part.second_of_day(instant)};
    const bool is_spent = part.excluded.is_whole || (part.is_whole_day && spent.contains(key));
    for (UtcSecond point = instant; !is_spent && point >= part.begin; point -= every) {
      if (!exclusions.excludes_time(part.excluded.partial, part.second_of_day(point))) return point;
    }
    if (!is_spent && part.is_whole_day) spent.insert(key);
    instant = point_before(part.begin);
  }
  return none;
}

}  // namespace carillon
