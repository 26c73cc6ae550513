#pragma once

#include "ports/notifier.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace carillon {

/// Counts what is written to a store, for threads that wait for something to happen there. May be called from several
/// threads.
class StoreChanges {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit StoreChanges(Notifier& notifier);

  [[nodiscard]] std::uint64_t count();
  /// Returns when there have been more than `known`, or at `end`.
  void wait_beyond(std::uint64_t known, Deadline end);
  /// Counts one more, so that all that wait look again.
  void add();

 private:
  std::mutex mutex_;
  std::uint64_t count_ = 0;  // guarded
  std::condition_variable changed_;
  NotifierSubscription subscription_;  // ends before what it uses
};

}  // namespace carillon
