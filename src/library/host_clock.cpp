#include "library/host_clock.hpp"

#include <algorithm>
#include <chrono>

namespace carillon {

Instant HostClock::now() {
  if (!wall_) return system_.now();
  return std::clamp(std::chrono::floor<Duration>(wall_->now()), instant_min, instant_max);
}

TimePoint ManualWallClock::now() {
  const std::scoped_lock lock{time_mutex_};
  return now_;
}

void ManualWallClock::on_set(std::function<void()> wake) {
  const std::scoped_lock lock{wake_mutex_};
  wake_ = std::move(wake);
}

void ManualWallClock::advance(std::chrono::microseconds by) {
  {
    const std::scoped_lock lock{time_mutex_};
    now_ += by;
  }
  const std::scoped_lock lock{wake_mutex_};
  if (wake_) wake_();
}

void ManualWallClock::set(TimePoint now) {
  {
    const std::scoped_lock lock{time_mutex_};
    now_ = now;
  }
  const std::scoped_lock lock{wake_mutex_};
  if (wake_) wake_();
}

}  // namespace carillon
