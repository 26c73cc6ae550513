#pragma once

#include "ports/clock.hpp"

namespace carillon {

/// The clocks of this machine.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override;
  [[nodiscard]] Duration since_boot() override;
};

/// Whether something keeps the wall clock right, as far as the kernel knows.
[[nodiscard]] bool is_clock_synchronised();

}  // namespace carillon
