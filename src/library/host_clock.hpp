#pragma once

#include "ports/clock.hpp"
#include "runtime/system_clock.hpp"

#include <carillon/wall_clock.hpp>

#include <memory>
#include <utility>

namespace carillon {

/// The wall clock of the host program, if it has given one, and the machine's clock of passing time.
class HostClock final : public Clock {
 public:
  explicit HostClock(std::shared_ptr<WallClock> wall) : wall_{std::move(wall)} {}

  [[nodiscard]] Instant now() override;
  [[nodiscard]] Duration since_boot() override { return system_.since_boot(); }

  /// The host program's; null: the machine's is used.
  [[nodiscard]] WallClock* own_wall() const { return wall_.get(); }

 private:
  SystemClock system_;
  std::shared_ptr<WallClock> wall_;  // shared with the host program, which sets it
};

}  // namespace carillon
