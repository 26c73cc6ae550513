#include "oracle/clock.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace carillon::oracle {
namespace {

constexpr Second gap_made_up_max = 3 * 3600;

Second wall_count(absl::CivilSecond wall) { return wall - absl::CivilSecond(1970, 1, 1); }

Second offset_at(const absl::TimeZone& zone, Second instant) { return zone.At(absl::FromUnixSeconds(instant)).offset; }

}  // namespace

absl::CivilSecond civil(Second wall) { return absl::CivilSecond(1970, 1, 1) + wall; }

Clock::Clock(const std::string& zone_name) {
  if (!absl::LoadTimeZone(zone_name, &zone_)) throw std::invalid_argument("no zone " + zone_name);

  const Second first = absl::ToUnixSeconds(absl::FromCivil(absl::CivilSecond(1890, 1, 1), absl::UTCTimeZone()));
  const Second last = absl::ToUnixSeconds(absl::FromCivil(absl::CivilSecond(2210, 1, 1), absl::UTCTimeZone()));
  constexpr Second unlimited = std::numeric_limits<Second>::max() / 4;
  stretches_.push_back({.begin = -unlimited, .end = unlimited, .offset = offset_at(zone_, first)});
  absl::TimeZone::CivilTransition transition;
  Second at = first;
  while (at < last && zone_.NextTransition(absl::FromUnixSeconds(at), &transition)) {
    // The wall time from which the clock jumps is still counted with the old offset.
    at = wall_count(transition.from) - stretches_.back().offset;
    const Second offset = offset_at(zone_, at);
    if (offset == stretches_.back().offset) continue;
    stretches_.back().end = at;
    stretches_.push_back({.begin = at, .end = unlimited, .offset = offset});
  }
}

const Clock::Stretch& Clock::stretch_at(Second instant) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), instant,
                                      [](Second value, const Stretch& stretch) { return value < stretch.begin; });
  return *std::prev(after);
}

Second Clock::wall_at(Second instant) const { return instant + stretch_at(instant).offset; }

std::optional<Second> Clock::instant_of_fixed(Second wall) const {
  const absl::TimeZone::TimeInfo info = zone_.At(civil(wall));
  if (info.kind != absl::TimeZone::TimeInfo::SKIPPED) return absl::ToUnixSeconds(info.pre);
  const Second gap_end = absl::ToUnixSeconds(info.trans);
  const Second gap = offset_at(zone_, gap_end) - offset_at(zone_, gap_end - 1);
  if (gap > gap_made_up_max) return std::nullopt;
  return gap_end;
}

std::vector<Second> Clock::transitions(Second from, Second to) const {
  std::vector<Second> found;
  for (const Stretch& stretch : stretches_) {
    if (stretch.begin >= from && stretch.begin < to) found.push_back(stretch.begin);
  }
  return found;
}

const Clock& clock_of(const std::string& zone_name) {
  static std::map<std::string, Clock> clocks;
  return clocks.try_emplace(zone_name, zone_name).first->second;
}

}  // namespace carillon::oracle
