#pragma once

#include "base/instant.hpp"

namespace carillon {

/// The two clocks of a machine. May be read from several threads.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Wall clock: may be set, forward and back.
  [[nodiscard]] virtual Instant now() = 0;
  /// Time since the machine was started, suspension included: only goes forward, at the pace of real time.
  [[nodiscard]] virtual Duration since_boot() = 0;
};

}  // namespace carillon
