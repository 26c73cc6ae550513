#pragma once

#include "api/http/responder.hpp"
#include "api/rest/call.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace carillon::rest {

/// Workers that wait for work: each is asked again when something was queued, until it gets some or its time is up.
class ClaimWaiters {
 public:
  /// Tries once; the answer, or none if there is nothing and more time: `is_last` says that there is not.
  using Try = std::function<bool(bool is_last)>;

  ClaimWaiters();
  ~ClaimWaiters() { stop(); }

  void add(Try again, std::chrono::steady_clock::time_point deadline);
  void wake();
  void stop();

 private:
  struct Waiter {
    Try again;
    std::chrono::steady_clock::time_point deadline;
  };
  void run(const std::stop_token& token);

  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;  // guarded, as the next
  std::vector<Waiter> newcomers_;
  std::jthread thread_;
};

}  // namespace carillon::rest
