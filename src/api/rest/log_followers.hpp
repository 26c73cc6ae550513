#pragma once

#include "api/http/responder.hpp"
#include "api/rest/call.hpp"
#include "base/loop_monitor.hpp"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace carillon::rest {

/// Sends logs while they grow, until their attempts have ended.
class LogFollowers {
 public:
  LogFollowers(Services& services, LoopMonitor* loops);
  ~LogFollowers() { stop(); }

  struct Follower {
    http::ResponseStream stream;
    Caller caller;
    std::string run;
    std::optional<std::string> name_space{};
    LogQuery query;
    std::chrono::steady_clock::time_point next_check{};
  };
  void add(Follower follower);
  void stop();

 private:
  void run(const std::stop_token& token, LoopMonitor* loops);
  /// False when there is nothing more to send.
  [[nodiscard]] bool send_more(Follower& follower);

  Services& services_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::vector<Follower> newcomers_;  // guarded
  std::jthread thread_;
};

}  // namespace carillon::rest
