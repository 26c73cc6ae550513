#pragma once

#include "base/instant.hpp"

#include <optional>

namespace carillon {

/// Compares the store's clock with the pace of real time. A clock that jumps forward by more than an hour is not
/// believed at once: one wrong answer of a time server would else decide years of occurrences as missed.
class ClockWatch {
 public:
  struct Sight {
    Instant store_now;
    Duration since_boot;
    bool is_synchronised = false;  // something keeps the clock right
  };
  enum class Verdict {
    steady,
    stepped,    // forward, by little: what lies between is late
    went_back,  // what was decided ahead must be opened again
    held,       // it must not be decided by this clock yet
  };

  [[nodiscard]] Verdict look(const Sight& sight);

  /// By how much the clock last left the pace of time.
  [[nodiscard]] Duration last_step() const { return last_step_; }
  /// The latest time it has shown since `reopened`.
  [[nodiscard]] Instant newest_seen() const { return newest_seen_; }
  /// What lay ahead has been opened again.
  void reopened(Instant store_now) { newest_seen_ = store_now; }

 private:
  std::optional<Sight> last_;
  std::optional<Duration> held_until_;  // since boot
  Duration last_step_{0};
  Instant newest_seen_ = instant_min;
};

/// A forward step longer than this is held, for at most `clock_hold`.
inline constexpr Duration clock_step_held = std::chrono::hours{1};
inline constexpr Duration clock_hold = std::chrono::seconds{60};
/// Differences up to this are the pace of two clocks, not a step.
inline constexpr Duration clock_step_min = std::chrono::milliseconds{500};

}  // namespace carillon
