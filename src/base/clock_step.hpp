#pragma once

#include "base/instant.hpp"

#include <optional>

namespace carillon {

/// Differences up to this are the pace of two clocks, not a step of one.
inline constexpr Duration clock_step_min = std::chrono::milliseconds{500};

/// How far the wall clock is ahead of the time since boot. It changes only when the wall clock is set.
[[nodiscard]] constexpr Duration clock_offset(Instant wall, Duration since_boot) {
  return wall.time_since_epoch() - since_boot;
}

/// By how much the wall clock has been set since it had the offset `before`; zero if it has not. What is less than a
/// step stays unseen until it adds up to one.
[[nodiscard]] constexpr Duration clock_step(std::optional<Duration> before, Duration offset) {
  const Duration step = before ? offset - *before : Duration{0};
  return step >= clock_step_min || step <= -clock_step_min ? step : Duration{0};
}

}  // namespace carillon
