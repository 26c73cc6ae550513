#pragma once

#include "base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace carillon {

/// Seconds since 1970-01-01T00:00:00Z, and the same count read off a wall clock (no zone). Plain integers in the inner
/// loop; the names say which clock.
using UtcSecond = std::int64_t;
using WallSecond = std::int64_t;

/// A stretch of time with one UTC offset, as the zone's rules give it.
struct ZoneStretch {
  UtcSecond begin;           // ends where the next one begins
  std::int32_t offset;       // wall = UTC + offset
  std::string abbreviation;  // EDT, +0530
};

/// A time zone as a value: the stretches of constant offset between 1900 and 2200, ready for lookups in constant time.
/// Immutable, so that threads may share it; how it is loaded is the business of a ZoneSource.
class Zone {
 public:
  using Index = std::size_t;

  [[nodiscard]] static std::shared_ptr<const Zone> utc();

  /// `stretches` ascend strictly by begin and the first covers everything before the second. Neighbours with equal
  /// offset are one stretch for the rules; only the abbreviation differs.
  [[nodiscard]] static Result<std::shared_ptr<const Zone>> make(std::string name, std::vector<ZoneStretch> stretches);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool has_transitions() const { return periods_.size() > 1; }
  [[nodiscard]] std::size_t period_count() const { return periods_.size(); }

  /// A period: the longest stretch without a change of offset.
  struct Period {
    UtcSecond begin;  // the transition that opens it; the minimum for the first
    UtcSecond end;    // the transition that ends it; the maximum for the last
    std::int64_t offset;
    WallSecond wall_seen;   // wall clocks have already shown every time before this one when the period begins
    WallSecond wall_ahead;  // the earliest wall time that this period or a later one shows

    [[nodiscard]] WallSecond wall_begin() const { return begin + offset; }
    [[nodiscard]] WallSecond wall_end() const { return end + offset; }
  };

  [[nodiscard]] const Period& period(Index index) const { return periods_[index]; }

  /// The period that contains the instant.
  [[nodiscard]] Index period_at(UtcSecond instant) const {
    Index index = hint(instant_hints_, instant);
    while (periods_[index].end <= instant) ++index;
    return index;
  }

  /// The first period whose wall clock passes `wall`: it shows it, or begins behind it because it was skipped.
  [[nodiscard]] Index period_passing(WallSecond wall) const {
    Index index = hint(wall_hints_, wall);
    while (wall_reached_[index] <= wall) ++index;
    return index;
  }

  [[nodiscard]] std::int64_t offset_at(UtcSecond instant) const { return periods_[period_at(instant)].offset; }
  [[nodiscard]] std::string_view abbreviation_at(UtcSecond instant) const;

 private:
  // A slot of the hint tables spans 2^22 s, about 48 days: hardly ever more than one transition.
  static constexpr int hint_shift = 22;
  static constexpr std::int64_t hint_origin = -2'209'075'200;  // shortly before 1900

  Zone() = default;
  [[nodiscard]] static Index hint(const std::vector<std::uint16_t>& hints, std::int64_t second) {
    const std::int64_t slot = (second - hint_origin) >> hint_shift;
    if (slot < 0) return 0;
    return hints[std::min(static_cast<std::size_t>(slot), hints.size() - 1)];
  }

  std::string name_;
  std::vector<ZoneStretch> stretches_;
  std::vector<Period> periods_;
  std::vector<WallSecond> wall_reached_;  // per period: the wall time not yet shown when it ends
  std::vector<std::uint16_t> instant_hints_;
  std::vector<std::uint16_t> wall_hints_;
};

/// Shared, because many timetables use one zone while a new edition of tzdata may replace it for later ones.
using ZonePtr = std::shared_ptr<const Zone>;

}  // namespace carillon
