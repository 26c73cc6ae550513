#include "calendar/clock_jump.hpp"

namespace carillon {

std::vector<ClockJump> clock_jumps(const Zone& zone, UtcSecond after, UtcSecond until) {
  std::vector<ClockJump> jumps;
  for (Zone::Index index = zone.period_at(after) + 1; index < zone.period_count(); ++index) {
    const Zone::Period& period = zone.period(index);
    if (period.begin > until) break;
    // A period may begin where clocks stood before an earlier jump: then nothing is skipped and nothing repeated.
    if (period.wall_begin() == period.wall_seen) continue;
    const bool is_gap = period.wall_begin() > period.wall_seen;
    jumps.push_back({.kind = is_gap ? ClockJump::Kind::gap : ClockJump::Kind::overlap,
                     .at = period.begin,
                     .from = is_gap ? period.wall_seen : period.wall_begin(),
                     .to = is_gap ? period.wall_begin() : period.wall_seen,
                     .offset_before = zone.period(index - 1).offset,
                     .offset_after = period.offset});
  }
  return jumps;
}

std::vector<WallSecond> times_inside(const ClockJump& jump, const WallRule& rule, const Exclusions& exclusions,
                                     std::size_t count_max) {
  std::vector<WallSecond> times;
  Budget budget = Budget::unlimited();  // a jump touches two days at most
  for (WallSecond from = jump.from; times.size() < count_max;) {
    const WallSecond wall = exclusions.first_kept(rule, from, jump.to, budget);
    if (wall >= jump.to) break;
    times.push_back(wall);
    from = wall + 1;
  }
  return times;
}

}  // namespace carillon
