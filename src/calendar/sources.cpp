#include "calendar/sources.hpp"

#include <algorithm>

namespace carillon {
namespace {

constexpr UtcSecond second_min = floor_second(instant_min);
constexpr UtcSecond second_max = floor_second(instant_max);

}  // namespace

bool Sources::excludes(Instant instant) const {
  const UtcSecond second = floor_second(instant);
  return exclusions.excludes(second + zone->offset_at(second));
}

// Each source is searched only up to the best that those before it have found.
std::optional<Instant> Sources::next(Instant after, Instant until, Budget& budget) const {
  const UtcSecond from = std::clamp(floor_second(after), second_min - 1, second_max);
  const UtcSecond to = floor_second(until);
  UtcSecond best = WallSource::none;
  for (const WallSource& wall : walls)
    best = std::min(best, wall.next(exclusions, *zone, from, std::min(to, best - 1), budget));
  for (const IntervalSource& interval : intervals)
    best = std::min(best, interval.next(exclusions, *zone, from, std::min(to, best - 1), budget));
  std::optional<Instant> found;
  if (best <= second_max) found = to_instant(best);
  const auto time = std::ranges::upper_bound(times, after);
  if (time != times.end() && (!found || *time < *found)) found = *time;
  return found;
}

std::optional<Instant> Sources::previous(Instant before, Budget& budget) const {
  const UtcSecond to = std::clamp(ceil_second(before), second_min, second_max + 1);
  constexpr UtcSecond nothing = second_min - 1;
  UtcSecond best = nothing;
  const auto take = [&best](UtcSecond second) {
    if (second != WallSource::none) best = std::max(best, second);
  };
  for (const WallSource& wall : walls) take(wall.previous(exclusions, *zone, to, best + 1, budget));
  for (const IntervalSource& interval : intervals) take(interval.previous(exclusions, *zone, to, best + 1, budget));
  std::optional<Instant> found;
  if (best > nothing) found = to_instant(best);
  const auto time = std::ranges::lower_bound(times, before);
  if (time != times.begin() && (!found || *std::prev(time) > *found)) found = *std::prev(time);
  return found;
}

}  // namespace carillon
