#pragma once

#include "base/clock_step.hpp"
#include "base/error.hpp"
#include "base/instant.hpp"

#include <atomic>
#include <mutex>
#include <optional>

namespace carillon {

/// Compares the store's clock with the pace of real time. A clock that jumps by more than an hour is not believed at
/// once: one wrong answer of a time server would else decide years of occurrences as missed. One that shows a time from
/// before the program was made is not believed at all. May be asked from several threads; one of them looks.
class ClockWatch {
 public:
  struct Sight {
    Instant store_now;
    Duration since_boot;
    bool is_synchronised = false;  // something keeps the clock right
  };
  enum class Verdict {
    steady,
    stepped,    // forward: what lies between is late
    went_back,  // what was decided ahead must be opened again
    held,       // it must not be decided by this clock yet
  };

  /// No right clock shows less than `earliest`.
  explicit ClockWatch(Instant earliest = instant_min) : earliest_{earliest} {}

  /// `newest_known` is the time to which the store knows that somebody decided; a first look is compared with it.
  [[nodiscard]] Verdict look(const Sight& sight, Instant newest_known = instant_min);

  /// Whether decisions may be made by this time, seen by somebody who does not look; an error `unavailable` says why
  /// not. A jump is noticed here before anybody has looked.
  [[nodiscard]] Result<> check(const Sight& sight) const;

  /// Whether a look has ever ended with the clock believed. From any thread.
  [[nodiscard]] bool has_been_believed() const { return has_been_believed_; }

  /// By how much the clock last left the pace of time.
  [[nodiscard]] Duration last_step() const { return last_step_; }
  /// The latest time it has shown since `reopened`.
  [[nodiscard]] Instant newest_seen() const { return newest_seen_; }
  /// What lay ahead has been opened again.
  void reopened(Instant store_now) { newest_seen_ = store_now; }

 private:
  // With the lock held.
  [[nodiscard]] Verdict judge(const Sight& sight, Instant newest_known);
  [[nodiscard]] Duration step_to(const Sight& sight) const;
  [[nodiscard]] bool must_hold(const Sight& sight, Duration step);

  const Instant earliest_;
  std::atomic<bool> has_been_believed_ = false;
  mutable std::mutex mutex_;
  // Guarded, as far as others than the looker read it.
  std::optional<Sight> believed_;       // the pace of time is measured from here
  std::optional<Duration> held_until_;  // since boot
  Duration held_step_{};                // that is held
  Duration last_step_{0};
  Instant newest_seen_ = instant_min;
};

/// A step longer than this is held, for at most `clock_hold`.
inline constexpr Duration clock_step_held = std::chrono::hours{1};
inline constexpr Duration clock_hold = std::chrono::seconds{60};

}  // namespace carillon
