#pragma once

#include "base/instant.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace carillon {

/// Wakes one thread that sleeps until a time: rung while it does not sleep, the next sleep ends at once.
class Alarm {
 public:
  void ring() {
    {
      const std::scoped_lock lock{mutex_};
      is_rung_ = true;
    }
    condition_.notify_all();
  }

  /// Sleeps for `length` at most; tells whether it was rung.
  bool sleep(Duration length, const std::stop_token& token = {}) {
    std::unique_lock lock{mutex_};
    condition_.wait_for(lock, token, length, [&] { return is_rung_; });
    return std::exchange(is_rung_, false);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_rung_ = false;
};

}  // namespace carillon
