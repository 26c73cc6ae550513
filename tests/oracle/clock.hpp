#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carillon::oracle {

/// Seconds since 1970-01-01T00:00:00Z, or the same count read off a wall clock.
using Second = std::int64_t;

inline constexpr Second day_length = 86400;

/// One zone's wall clock, asked from absl.
class Clock {
 public:
  /// Throws std::invalid_argument when absl does not know the zone.
  explicit Clock(const std::string& zone_name);

  /// A time without change of offset: [begin, end).
  struct Stretch {
    Second begin;
    Second end;
    Second offset;
  };

  [[nodiscard]] const Stretch& stretch_at(Second instant) const;
  [[nodiscard]] Second wall_at(Second instant) const;

  /// The one instant at which a fixed wall time happens: the first pass if it is shown twice, the end of the gap if it
  /// is skipped, nothing if that gap is longer than three hours.
  [[nodiscard]] std::optional<Second> instant_of_fixed(Second wall) const;

  /// Every instant in [from, to) at which the offset changes.
  [[nodiscard]] std::vector<Second> transitions(Second from, Second to) const;

  [[nodiscard]] const absl::TimeZone& zone() const { return zone_; }

 private:
  absl::TimeZone zone_;
  std::vector<Stretch> stretches_;
};

/// The clock of that zone, built once.
[[nodiscard]] const Clock& clock_of(const std::string& zone_name);

/// A wall time as absl writes it.
[[nodiscard]] absl::CivilSecond civil(Second wall);

}  // namespace carillon::oracle
