#include "calendar/zone.hpp"

#include <limits>
#include <utility>

namespace carillon {
namespace {

// Outside of every instant there is, and still far from overflow when an offset is added.
constexpr std::int64_t beginning_of_time = -(std::int64_t{1} << 60);
constexpr std::int64_t end_of_time = std::int64_t{1} << 60;
constexpr std::int64_t second_max = 7'258'204'800;  // shortly after 2200

constexpr std::int32_t offset_max = 26 * 3600;

std::vector<Zone::Period> merge_stretches(const std::vector<ZoneStretch>& stretches) {
  std::vector<Zone::Period> periods;
  for (const ZoneStretch& stretch : stretches) {
    if (!periods.empty() && periods.back().offset == stretch.offset) continue;
    const UtcSecond begin = periods.empty() ? beginning_of_time : stretch.begin;
    if (!periods.empty()) periods.back().end = begin;
    periods.push_back({.begin = begin, .end = end_of_time, .offset = stretch.offset, .wall_seen = 0, .wall_ahead = 0});
  }
  return periods;
}

void note_walls(std::vector<Zone::Period>& periods) {
  WallSecond seen = beginning_of_time;
  for (Zone::Period& period : periods) {
    period.wall_seen = seen;
    seen = std::max(seen, period.wall_end());
  }
  WallSecond ahead = std::numeric_limits<WallSecond>::max();
  for (auto period = periods.rbegin(); period != periods.rend(); ++period) {
    ahead = std::min(ahead, period->wall_begin());
    period->wall_ahead = ahead;
  }
}

}  // namespace

ZonePtr Zone::utc() {
  static const ZonePtr zone = Zone::make("UTC", {{.begin = 0, .offset = 0, .abbreviation = "UTC"}}).value();
  return zone;
}

Result<ZonePtr> Zone::make(std::string name, std::vector<ZoneStretch> stretches) {
  if (stretches.empty()) return fail(ErrorCode::corrupt, "time zone {} has no rules", name);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i > 0 && stretches[i].begin <= stretches[i - 1].begin) {
      return fail(ErrorCode::corrupt, "transitions of time zone {} are out of order", name);
    }
    if (stretches[i].offset > offset_max || stretches[i].offset < -offset_max) {
      return fail(ErrorCode::corrupt, "time zone {} is {} s away from UTC", name, stretches[i].offset);
    }
  }
  std::vector<Period> periods = merge_stretches(stretches);
  if (periods.size() > std::numeric_limits<std::uint16_t>::max()) {
    return fail(ErrorCode::corrupt, "time zone {} has {} transitions", name, periods.size());
  }
  note_walls(periods);

  std::shared_ptr<Zone> zone{new Zone};
  zone->name_ = std::move(name);
  zone->stretches_ = std::move(stretches);
  zone->periods_ = std::move(periods);
  for (const Period& period : zone->periods_) {
    zone->wall_reached_.push_back(std::max(period.wall_seen, period.wall_end()));
  }
  Index by_instant = 0;
  Index by_wall = 0;
  for (std::int64_t slot = hint_origin; slot < second_max; slot += std::int64_t{1} << hint_shift) {
    while (zone->periods_[by_instant].end <= slot) ++by_instant;
    while (zone->wall_reached_[by_wall] <= slot) ++by_wall;
    zone->instant_hints_.push_back(static_cast<std::uint16_t>(by_instant));
    zone->wall_hints_.push_back(static_cast<std::uint16_t>(by_wall));
    if (!zone->has_transitions()) break;
  }
  return zone;
}

std::string_view Zone::abbreviation_at(UtcSecond instant) const {
  const auto after = std::ranges::upper_bound(stretches_, instant, {}, &ZoneStretch::begin);
  return after == stretches_.begin() ? stretches_.front().abbreviation : std::prev(after)->abbreviation;
}

}  // namespace carillon
