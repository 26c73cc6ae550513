#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <functional>
#include <mutex>

namespace carillon {

/// The time of day that a scheduler goes by, for programs that do not want that of the machine: tests above all.
///
/// It decides when occurrences are due and which times stand in the history. How long something takes is measured in
/// real time all the same: timeouts, retry delays, `stop_timeout` and the right to a run do not follow this clock.
/// Whatever lies between two times of a clock that was set forward is late, as after an outage, and `CatchUp` says what
/// becomes of it.
class WallClock {
 public:
  virtual ~WallClock() = default;

  /// Called from several threads. Must not throw and must not call the scheduler. Times before 1900 and after 2199
  /// count as the nearest of those.
  [[nodiscard]] virtual TimePoint now() = 0;

  /// A scheduler hands over the function that the clock may call when it was set, so that what is due then is decided
  /// at once and not up to a second later. Called when the scheduler is opened, and with an empty function before it is
  /// destroyed; after that call has returned, the function before must not be called. Clocks that are never set need
  /// not override this.
  virtual void on_set(std::function<void()> /*wake*/) {}
};

/// A clock that stands still until it is told to move. One scheduler at a time is woken by it. All members may be
/// called from any thread.
///
///     const auto clock = std::make_shared<carillon::ManualWallClock>(nine_o_clock);
///     auto scheduler = carillon::Scheduler::open({.clock = clock}).value();
///     …
///     clock->advance(24h);  // what is due by then is decided now
class ManualWallClock final : public WallClock {
 public:
  explicit ManualWallClock(TimePoint now) : now_{now} {}

  [[nodiscard]] TimePoint now() override;
  void on_set(std::function<void()> wake) override;

  void advance(std::chrono::microseconds by);
  /// Forward or back.
  void set(TimePoint now);

 private:
  std::mutex time_mutex_;
  TimePoint now_;  // guarded by it
  std::mutex wake_mutex_;
  std::function<void()> wake_;  // guarded by it, also while it is called
};

}  // namespace carillon
