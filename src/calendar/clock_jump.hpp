#pragma once

#include "calendar/exclusions.hpp"
#include "calendar/wall_rule.hpp"
#include "calendar/zone.hpp"

#include <cstddef>
#include <vector>

namespace carillon {

/// A transition as wall clocks show it: times that are skipped, or shown again.
struct ClockJump {
  enum class Kind { gap, overlap };
  Kind kind;
  UtcSecond at;
  WallSecond from;  // the first wall time skipped, or shown again
  WallSecond to;    // the first one behind
  std::int64_t offset_before;
  std::int64_t offset_after;

  /// Whether fixed times in the gap happen at its end; longer gaps are corrections of the calendar.
  [[nodiscard]] bool is_made_up() const { return to - (at + offset_before) <= std::int64_t{3} * 3600; }
};

/// The jumps of a zone's clocks after `after`, up to and including `until`.
[[nodiscard]] std::vector<ClockJump> clock_jumps(const Zone& zone, UtcSecond after, UtcSecond until);

/// The wall times of a rule inside a jump that no exclusion takes away, ascending, at most `count_max`.
[[nodiscard]] std::vector<WallSecond> times_inside(const ClockJump& jump, const WallRule& rule,
                                                   const Exclusions& exclusions, std::size_t count_max);

}  // namespace carillon
