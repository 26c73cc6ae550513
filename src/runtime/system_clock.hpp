#pragma once

#include "ports/clock.hpp"

#include <chrono>

namespace carillon {

/// The clocks of this machine.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override;
  [[nodiscard]] Duration since_boot() override;
};

/// Whether something keeps the wall clock right, as far as the kernel knows.
[[nodiscard]] bool is_clock_synchronised();

/// The program is not older than this: a clock that shows less is wrong.
inline constexpr Instant clock_earliest{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

}  // namespace carillon
