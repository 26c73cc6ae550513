#pragma once

#include "ports/clock.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace carillon {

/// Which queues have workers in other processes: those that have asked for work, or sent a heartbeat, and whose lease
/// lasts. Kept in memory, so that a server that has just started knows of none yet. May be called from several threads.
class WorkerPresence {
 public:
  explicit WorkerPresence(Clock& clock) : clock_{clock}, known_from_{clock.since_boot() + settling_time} {}

  /// A worker of these queues, by their stored names, is there for as long as its lease lasts.
  void note(std::span<const std::string> queues, Duration lease);

  /// Whether nobody takes runs from this queue. False for the queues of the server itself (`@command`), and while a
  /// server is so young that its workers may not have called yet.
  [[nodiscard]] bool is_unserved(std::string_view queue) const;

 private:
  static constexpr Duration settling_time = std::chrono::seconds{60};
  static constexpr std::size_t queue_count_max = 10'000;  // then those whose workers are gone are forgotten

  Clock& clock_;
  const Duration known_from_;
  mutable std::mutex mutex_;
  std::map<std::string, Duration, std::less<>> served_until_;  // guarded; by the clock since boot
};

}  // namespace carillon
