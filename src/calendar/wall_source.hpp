#pragma once

#include "calendar/exclusions.hpp"
#include "calendar/wall_rule.hpp"
#include "calendar/zone.hpp"

#include <optional>

namespace carillon {

/// A wall rule in a zone: a cron or a calendar of a spec.
struct WallSource {
  WallRule rule;

  /// True: happens at every instant whose wall time matches; nothing in a gap, both passes of an overlap.
  /// False: each wall time happens once: the first time it is shown or, when a gap of at most three hours skips it, at
  /// the instant the gap ends. Longer gaps are corrections of the calendar, and nothing is made up for them.
  bool follows_clock = false;

  static constexpr UtcSecond none = WallRule::none;

  /// The first instant after `after`, or `none`; the search may give up behind `until`.
  [[nodiscard]] UtcSecond next(const Exclusions& exclusions, const Zone& zone, UtcSecond after, UtcSecond until,
                               Budget& budget) const;
  /// The last instant before `before`, or `none`; the search may give up before `since`.
  [[nodiscard]] UtcSecond previous(const Exclusions& exclusions, const Zone& zone, UtcSecond before, UtcSecond since,
                                   Budget& budget) const;
  /// The wall time that was skipped and made up for at this instant, if there is one.
  [[nodiscard]] std::optional<WallSecond> moved_to(const Exclusions& exclusions, const Zone& zone,
                                                   UtcSecond instant) const;
};

}  // namespace carillon
