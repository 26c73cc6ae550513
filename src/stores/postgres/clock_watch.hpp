#pragma once

#include "base/instant.hpp"
#include "ports/clock.hpp"

#include <mutex>
#include <optional>

namespace carillon::postgres {

/// What the database's clock showed, between two looks at our own.
struct ClockReading {
  Instant now;
  Duration moved{};   // by how much rows have been moved along so far
  Duration before{};  // time since boot when we asked, and when the answer was there
  Duration after{};
};

/// Notices when the database's clock is set. It compares that clock with this machine's time since boot; what a step
/// cannot be told from, such as an answer that took long, is none. May be called from several threads.
class ClockWatch {
 public:
  /// By how much the clock has been set beyond what rows have been moved; nearly always zero.
  [[nodiscard]] Duration step_seen(const ClockReading& reading);
  /// Rows have been moved: `reading.moved` is what they have been moved by in all.
  void accept(const ClockReading& reading);

 private:
  struct Baseline {
    Duration offset{};  // of the database's clock to our time since boot
    Duration moved{};
  };
  std::mutex mutex_;
  std::optional<Baseline> baseline_;
};

}  // namespace carillon::postgres
