#pragma once

#include "base/instant.hpp"
#include "calendar/budget.hpp"
#include "calendar/exclusions.hpp"
#include "calendar/interval_source.hpp"
#include "calendar/wall_source.hpp"
#include "calendar/zone.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace carillon {

/// Everything a spec draws its occurrences from, in its zone, without start and end.
struct Sources {
  std::vector<WallSource> walls;
  std::vector<IntervalSource> intervals;
  std::vector<Instant> times;  // ascending, each once
  Exclusions exclusions;
  ZonePtr zone;

  /// The search may give up behind `until`.
  [[nodiscard]] std::optional<Instant> next(Instant after, Instant until, Budget& budget) const;
  [[nodiscard]] std::optional<Instant> previous(Instant before, Budget& budget) const;
  [[nodiscard]] std::uint64_t count(Instant from, Instant to, Budget& budget) const;
  /// The steps that asking every source once takes at least.
  [[nodiscard]] std::uint64_t steps_per_question() const { return 1 + walls.size() + intervals.size(); }
  [[nodiscard]] bool excludes(Instant instant) const;
};

[[nodiscard]] constexpr UtcSecond floor_second(Instant instant) {
  return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count();
}
[[nodiscard]] constexpr UtcSecond ceil_second(Instant instant) {
  return std::chrono::ceil<std::chrono::seconds>(instant).time_since_epoch().count();
}
[[nodiscard]] constexpr Instant to_instant(UtcSecond second) { return Instant{std::chrono::seconds{second}}; }

}  // namespace carillon
