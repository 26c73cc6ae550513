#pragma once

#include "ports/clock.hpp"
#include "runtime/system_clock.hpp"

#include <atomic>

namespace carillon::bench {

/// A wall clock that moves when told, so that the next schedules are due without waiting; since boot real time passes,
/// so that housekeeping, heartbeats and polls come as often as they do in a server.
class StrideClock final : public Clock {
 public:
  explicit StrideClock(Instant wall) : wall_{wall.time_since_epoch().count()} {}

  [[nodiscard]] Instant now() override { return Instant{Duration{wall_.load()}}; }
  [[nodiscard]] Duration since_boot() override { return boot_.since_boot(); }

  void set(Instant wall) { wall_ = wall.time_since_epoch().count(); }
  void advance(Duration by) { wall_ += by.count(); }

 private:
  std::atomic<Duration::rep> wall_;
  SystemClock boot_;
};

}  // namespace carillon::bench
