#pragma once

#include "base/instant.hpp"

#include <chrono>
#include <cstdint>

namespace carillon::rows {

// What stored values may be. A file may be damaged or forged, so whoever reads a row checks it against these.

/// A time: it can be written as text, and its sum with any duration that documents allow does not overflow.
inline constexpr Instant stored_instant_min{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
inline constexpr Instant stored_instant_max{std::chrono::sys_days{std::chrono::year{9999} / 12 / 31}};
/// A duration, such as the lease of a session.
inline constexpr Duration stored_duration_max = std::chrono::years{1'000};
/// A count, version or number of a row: far more than can happen, and one more does not overflow.
inline constexpr std::int64_t stored_count_max = std::int64_t{1} << 53;
/// A priority in either direction; documents allow less.
inline constexpr std::int64_t stored_priority_max = 1'000'000;

[[nodiscard]] constexpr bool is_possible(Instant instant) {
  return instant >= stored_instant_min && instant <= stored_instant_max;
}
[[nodiscard]] constexpr bool is_possible(Duration duration) {
  return duration >= Duration{0} && duration <= stored_duration_max;
}
[[nodiscard]] constexpr bool is_possible_count(std::int64_t count) { return count >= 0 && count <= stored_count_max; }

}  // namespace carillon::rows
