#pragma once

#include "ports/clock.hpp"

#include <atomic>

namespace carillon {

/// Two clocks that move only when told. Atomic, because a clock may be read from several threads.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant wall = {}, Duration boot = {})
      : wall_{wall.time_since_epoch().count()}, boot_{boot.count()} {}

  [[nodiscard]] Instant now() override { return Instant{Duration{wall_.load()}}; }
  [[nodiscard]] Duration since_boot() override { return Duration{boot_.load()}; }

  /// Sets the wall clock, forward or back; no time passes.
  void set_wall(Instant wall) { wall_ = wall.time_since_epoch().count(); }
  void set_boot(Duration boot) { boot_ = boot.count(); }

  void advance_wall(Duration by) { wall_ += by.count(); }
  void advance_boot(Duration by) { boot_ += by.count(); }

  /// Lets time pass on both.
  void advance(Duration by) {
    advance_wall(by);
    advance_boot(by);
  }

 private:
  std::atomic<Duration::rep> wall_;
  std::atomic<Duration::rep> boot_;
};

/// Lets time pass until then; a time that is over already is one that the wall clock is set back to.
inline void pass_or_set(ManualClock& clock, Instant wall) {
  if (wall >= clock.now())
    clock.advance(wall - clock.now());
  else
    clock.set_wall(wall);
}

}  // namespace carillon
