#include "calendar/wall_source.hpp"

#include "base/civil.hpp"

namespace carillon {
namespace {

constexpr std::int64_t made_up_gap_max = 3 * 3600;

/// Whether wall times skipped at the begin of a period happen at that instant.
bool is_made_up(const Zone& zone, Zone::Index index) {
  return zone.period(index).wall_begin() - zone.period(index - 1).wall_end() <= made_up_gap_max;
}

/// The last period before `end` that shows `wall`, or the last that begins before it was skipped.
Zone::Index last_period_reaching(const Zone& zone, WallSecond wall, Zone::Index end) {
  Zone::Index index = std::min(zone.period_passing(wall), end - 1);
  while (index + 1 < end && zone.period(index + 1).wall_ahead <= wall) ++index;
  while (index > 0 && zone.period(index).wall_begin() > wall) --index;
  return index;
}

/// The first period from `begin` on that passes `wall`.
Zone::Index first_period_passing(const Zone& zone, WallSecond wall, Zone::Index begin) {
  Zone::Index index = std::max(zone.period_passing(wall), begin);
  while (zone.period(index).wall_end() <= wall) ++index;
  return index;
}

UtcSecond next_on_clock(const WallRule& rule, const Exclusions& exclusions, const Zone& zone, UtcSecond after,
                        WallSecond until, Budget& budget) {
  Zone::Index index = zone.period_at(after + 1);
  WallSecond from = after + 1 + zone.period(index).offset;
  while (true) {
    const WallSecond wall = exclusions.first_kept(rule, from, until, budget);
    if (wall < zone.period(index).wall_end()) return wall - zone.period(index).offset;
    if (index + 1 == zone.period_count()) return WallSource::none;
    if (zone.period(index + 1).wall_ahead < from) {
      // A later period shows wall times before `from` again.
      ++index;
    } else {
      if (wall == WallRule::none) return WallSource::none;
      index = first_period_passing(zone, wall, index + 1);
      if (wall >= zone.period(index).wall_begin()) return wall - zone.period(index).offset;
    }
    from = zone.period(index).wall_begin();
  }
}

UtcSecond previous_on_clock(const WallRule& rule, const Exclusions& exclusions, const Zone& zone, UtcSecond before,
                            WallSecond since, Budget& budget) {
  Zone::Index index = zone.period_at(before - 1);
  WallSecond from = before - 1 + zone.period(index).offset;
  while (true) {
    const WallSecond wall = exclusions.last_kept(rule, from, since, budget);
    if (wall != WallRule::none && wall >= zone.period(index).wall_begin()) return wall - zone.period(index).offset;
    if (index == 0) return WallSource::none;
    if (zone.period(index).wall_seen - 1 > from) {
      // An earlier period shows wall times behind `from`.
      --index;
    } else {
      if (wall == WallRule::none) return WallSource::none;
      index = last_period_reaching(zone, wall, index);
      if (wall < zone.period(index).wall_end()) return wall - zone.period(index).offset;
    }
    from = zone.period(index).wall_end() - 1;
  }
}

UtcSecond next_once(const WallRule& rule, const Exclusions& exclusions, const Zone& zone, UtcSecond after,
                    WallSecond until, Budget& budget) {
  const Zone::Period& now = zone.period(zone.period_at(after));
  WallSecond from = std::max(after + now.offset + 1, now.wall_seen);
  while (true) {
    const WallSecond wall = exclusions.first_kept(rule, from, until, budget);
    if (wall == WallRule::none) return WallSource::none;
    const Zone::Index index = zone.period_passing(wall);
    const Zone::Period& period = zone.period(index);
    if (wall >= period.wall_begin()) return wall - period.offset;
    if (is_made_up(zone, index)) return period.begin;
    from = period.wall_begin();
  }
}

UtcSecond previous_once(const WallRule& rule, const Exclusions& exclusions, const Zone& zone, UtcSecond before,
                        WallSecond since, Budget& budget) {
  const Zone::Period& now = zone.period(zone.period_at(before - 1));
  WallSecond from = std::max(before - 1 + now.offset, now.wall_seen - 1);
  while (true) {
    const WallSecond wall = exclusions.last_kept(rule, from, since, budget);
    if (wall == WallRule::none) return WallSource::none;
    const Zone::Index index = zone.period_passing(wall);
    const Zone::Period& period = zone.period(index);
    if (wall >= period.wall_begin()) return wall - period.offset;
    if (is_made_up(zone, index)) return period.begin;
    from = period.wall_seen - 1;
  }
}

}  // namespace

// No wall clock is further than two days from UTC.
UtcSecond WallSource::next(const Exclusions& exclusions, const Zone& zone, UtcSecond after, UtcSecond until,
                           Budget& budget) const {
  const WallSecond wall_until = until + 2 * seconds_per_day;
  return follows_clock ? next_on_clock(rule, exclusions, zone, after, wall_until, budget)
                       : next_once(rule, exclusions, zone, after, wall_until, budget);
}

UtcSecond WallSource::previous(const Exclusions& exclusions, const Zone& zone, UtcSecond before, UtcSecond since,
                               Budget& budget) const {
  const WallSecond wall_since = since - 2 * seconds_per_day;
  return follows_clock ? previous_on_clock(rule, exclusions, zone, before, wall_since, budget)
                       : previous_once(rule, exclusions, zone, before, wall_since, budget);
}

std::optional<WallSecond> WallSource::moved_to(const Exclusions& exclusions, const Zone& zone,
                                               UtcSecond instant) const {
  if (follows_clock) return std::nullopt;
  const Zone::Index index = zone.period_at(instant);
  const Zone::Period& period = zone.period(index);
  if (period.begin != instant || period.wall_begin() <= period.wall_seen || !is_made_up(zone, index))
    return std::nullopt;
  Budget budget = Budget::unlimited();  // a gap is hours long
  const WallSecond wall = exclusions.first_kept(rule, period.wall_seen, period.wall_begin(), budget);
  return wall < period.wall_begin() ? std::optional{wall} : std::nullopt;
}

}  // namespace carillon
