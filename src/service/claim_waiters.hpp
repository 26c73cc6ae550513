#pragma once

#include "base/loop_monitor.hpp"
#include "engine/lane.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace carillon {

/// A claim that found nothing and waits. Everything is called on the thread of ClaimWaiters.
struct WaitingClaim {
  using Clock = std::chrono::steady_clock;

  std::vector<std::string> queues;  // as the store calls them
  WorkerSkills skills{};
  Clock::time_point deadline;     // when it is answered with nothing
  std::function<bool()> is_over;  // it has been answered, or nobody is there any more
  std::function<bool()> claim;    // tries again; true if it got something and was answered
  std::function<void()> end;      // answers with nothing
  /// Keeps the worker's session alive; tells when that is needed again. None: the session is over, and the claim has
  /// been answered.
  std::function<std::optional<Clock::duration>()> renew;
};

/// Workers that wait for work. The store is read to see whether there is any, once for all who wait for the same
/// queues, when something was written or time has passed; it is written only for who may get something, and to renew a
/// lease that would end.
class ClaimWaiters {
 public:
  /// Whether such a worker may claim something from these queues.
  using HasWork = std::function<bool(std::span<const std::string> queues, const WorkerSkills& skills)>;

  explicit ClaimWaiters(HasWork has_work, LoopMonitor* loops = nullptr);
  ~ClaimWaiters() { stop(); }

  void add(WaitingClaim claim);
  /// Something was written.
  void wake();
  /// Answers all with nothing.
  void stop();

 private:
  struct Waiter {
    WaitingClaim claim;
    WaitingClaim::Clock::time_point next_check;
    WaitingClaim::Clock::time_point next_renewal;
  };
  using Answers = std::map<std::pair<std::vector<std::string>, WorkerSkills>, bool>;

  void run(const std::stop_token& token, const LoopMonitor::Pulse& pulse);
  [[nodiscard]] bool may_get_something(const Waiter& waiter, Answers& answers) const;
  /// Whether the waiter is done with.
  [[nodiscard]] bool serve(Waiter& waiter, Answers& answers, bool is_end) const;

  const HasWork has_work_;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool is_woken_ = false;  // guarded, as the next
  std::vector<Waiter> newcomers_;
  std::jthread thread_;
};

}  // namespace carillon
