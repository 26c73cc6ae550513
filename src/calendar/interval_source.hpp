#pragma once

#include "calendar/exclusions.hpp"
#include "calendar/zone.hpp"

#include <cstdint>

namespace carillon {

/// Instants a fixed number of seconds apart, without beginning or end.
struct IntervalSource {
  UtcSecond anchor;    // one of them
  std::int64_t every;  // at least 1

  static constexpr UtcSecond none = WallRule::none;

  [[nodiscard]] UtcSecond point_after(UtcSecond after) const;
  [[nodiscard]] UtcSecond point_before(UtcSecond before) const;
  [[nodiscard]] bool contains(UtcSecond instant) const { return (instant - anchor) % every == 0; }
  [[nodiscard]] std::uint64_t count(UtcSecond from, UtcSecond to) const;

  /// The first point after `after` whose wall time is not excluded, or `none`; the search gives up behind `until`.
  [[nodiscard]] UtcSecond next(const Exclusions& exclusions, const Zone& zone, UtcSecond after, UtcSecond until,
                               Budget& budget) const;
  /// The last point before `before` whose wall time is not excluded, or `none`; the search gives up before `since`.
  [[nodiscard]] UtcSecond previous(const Exclusions& exclusions, const Zone& zone, UtcSecond before, UtcSecond since,
                                   Budget& budget) const;
};

}  // namespace carillon
