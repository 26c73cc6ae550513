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

/// The same for a store and a decider: both of its times are the wall clock's. A leap is then no step of a wall clock
/// that was set, after which a store moves everything that waits in it, and a decider drops what it has read; no server
/// has that with every round.
class StoreStrideClock final : public Clock {
 public:
  explicit StoreStrideClock(StrideClock& wall) : wall_{wall} {}

  [[nodiscard]] Instant now() override { return wall_.now(); }
  [[nodiscard]] Duration since_boot() override { return wall_.now().time_since_epoch(); }

 private:
  StrideClock& wall_;
};

}  // namespace carillon::bench
