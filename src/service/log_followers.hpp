#pragma once

#include "base/loop_monitor.hpp"
#include "service/access.hpp"
#include "service/caller.hpp"
#include "service/runs.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace carillon {

/// Where the bytes of a followed log go: a connection, as a door knows it. Called on the thread of LogFollowers; must
/// neither wait nor throw.
class LogSink {
 public:
  virtual ~LogSink() = default;

  /// False once nobody is there any more.
  virtual bool write(std::string_view bytes) = 0;
  /// Ends it properly.
  virtual void close() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
};

/// A log that is followed.
struct LogFollower {
  Caller caller;
  std::string run;  // id or name
  std::optional<std::string> name_space{};
  LogQuery query;
  std::unique_ptr<LogSink> sink;
};

/// Sends logs while they grow, until their attempts have ended, their callers have gone or their tokens are revoked.
class LogFollowers {
 public:
  LogFollowers(Access& access, Runs& runs, LoopMonitor* loops);
  ~LogFollowers() { stop(); }
  LogFollowers(const LogFollowers&) = delete;
  LogFollowers& operator=(const LogFollowers&) = delete;

  /// From any thread. That the caller may read the log must have been seen by reading its run. Beyond
  /// `follower_count_max` the sink is closed at once.
  void add(LogFollower follower);
  /// Safe to call twice.
  void stop();

  static constexpr std::size_t follower_count_max = 10'000;

 private:
  struct Follower {
    LogFollower what;
    std::chrono::steady_clock::time_point next_check{};
  };

  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  /// False when there is nothing more to send.
  [[nodiscard]] bool send_more(Follower& follower);

  Access& access_;
  Runs& runs_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::vector<Follower> newcomers_;  // guarded, as the next
  std::size_t follower_count_ = 0;
  std::jthread thread_;
};

}  // namespace carillon
