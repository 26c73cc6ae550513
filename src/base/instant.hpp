#pragma once

#include "base/error.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace carillon {

using Duration = std::chrono::microseconds;

/// A point on the UTC time line, without leap seconds.
using Instant = std::chrono::sys_time<Duration>;

/// The times carillon reasons about: from the first to the last second of the years 1900 to 2199.
inline constexpr Instant instant_min{std::chrono::sys_days{std::chrono::year{1900} / 1 / 1}};
inline constexpr Instant instant_max{std::chrono::sys_days{std::chrono::year{2200} / 1 / 1} - std::chrono::seconds{1}};

/// Reads RFC 3339 (`2026-01-27T14:00:00Z`, `…T09:00:00.5-05:00`, lower-case t and z, a space for T), to the
/// microsecond. Refuses a time without zone, a leap second, and what lies outside [instant_min, instant_max].
[[nodiscard]] Result<Instant> parse_instant(std::string_view text);

/// RFC 3339 in UTC, with a fraction only if it is not zero. The instant lies in the years 1 to 9999.
[[nodiscard]] std::string to_text(Instant instant);

/// Appends to_text(instant) without allocating a string of its own.
void append_text(std::string& out, Instant instant);

}  // namespace carillon
