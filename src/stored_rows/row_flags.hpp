#pragma once

#include "definitions/words.hpp"

#include <cstdint>

namespace carillon::rows {

/// Of a row of `state`.
namespace state_flag {
inline constexpr std::int64_t listens = 1;
inline constexpr std::int64_t deleted = 2;
inline constexpr std::int64_t zoned = 4;        // depends on zone rules
inline constexpr std::int64_t quarantined = 8;  // `quarantine` says why
inline constexpr std::int64_t tracked = 16;     // `past` has all its runs
inline constexpr std::int64_t status = 7 << 5;  // three bits: its status
inline constexpr std::int64_t ahead = 256;      // something was once decided before its nominal time
}  // namespace state_flag

[[nodiscard]] constexpr std::int64_t status_flags(ScheduleStatus status) {
  return static_cast<std::int64_t>(status) << 5;
}

/// Of a row of `ledger`.
namespace run_flag {
inline constexpr std::int64_t holds_slot = 1;
inline constexpr std::int64_t held_back = 2;
inline constexpr std::int64_t listened = 4;   // its end may matter to its schedule
inline constexpr std::int64_t has_extra = 8;  // there is a row of `extra`
inline constexpr std::int64_t last_try = 16;  // it may not be tried again
inline constexpr std::int64_t parked = 32;    // it has ended as a dead letter
/// Eight bits from here: how many of its newest attempts were lost in a row.
inline constexpr int lost_shift = 8;
inline constexpr std::int64_t lost_mask = 0xFF;
/// From this bit on: how many of its attempts were given back before they were launched.
inline constexpr int released_shift = 16;
}  // namespace run_flag

[[nodiscard]] constexpr std::int64_t released_count(std::int64_t flags) { return flags >> run_flag::released_shift; }
[[nodiscard]] constexpr std::int64_t with_released_count(std::int64_t flags, std::int64_t count) {
  return (flags & ((std::int64_t{1} << run_flag::released_shift) - 1)) | (count << run_flag::released_shift);
}

[[nodiscard]] constexpr std::int64_t lost_count(std::int64_t flags) {
  return (flags >> run_flag::lost_shift) & run_flag::lost_mask;
}
[[nodiscard]] constexpr std::int64_t with_lost_count(std::int64_t flags, std::int64_t count) {
  const std::int64_t kept = count > run_flag::lost_mask ? run_flag::lost_mask : count;
  return (flags & ~(run_flag::lost_mask << run_flag::lost_shift)) | (kept << run_flag::lost_shift);
}

[[nodiscard]] constexpr bool has(std::int64_t flags, std::int64_t flag) { return (flags & flag) != 0; }
[[nodiscard]] constexpr std::int64_t with(std::int64_t flags, std::int64_t flag, bool is_set) {
  return is_set ? flags | flag : flags & ~flag;
}

}  // namespace carillon::rows
