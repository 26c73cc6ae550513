#pragma once

#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "service/access.hpp"
#include "service/caller.hpp"
#include "service/claim_waiters.hpp"
#include "service/parts.hpp"
#include "service/workers.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// What a worker asks for.
struct JobClaim {
  std::string session;
  std::size_t count_max = 1;
  std::optional<std::vector<HeldAttempt>> holds{};  // what it says it has; none: it does not say
  Duration wait{};                                  // how long it wants to wait for work; at most `JobClaims::wait_max`
};

/// Says what became of an answer with jobs in it; to be called once, on a thread that may wait for the store.
using ReportDelivery = std::function<void(Delivery)>;

/// Where the answer to a claim goes. Both members may be called on the thread of JobClaims and must not wait.
class ClaimSink {
 public:
  virtual ~ClaimSink() = default;

  /// Whether somebody is still there to be answered.
  [[nodiscard]] virtual bool is_open() const = 0;
  /// Called once. `report` is empty if there are no jobs, else it must be called when the answer has been sent, or
  /// could not be.
  virtual void answer(Served<std::vector<ClaimedJob>> jobs, ReportDelivery report) = 0;
};

/// Claims of workers in other processes, which may wait until there is something. May be called from several threads.
class JobClaims {
 public:
  static constexpr Duration wait_max = std::chrono::seconds{30};

  JobClaims(const ServiceParts& parts, Access& access, Workers& workers, LoopMonitor* loops);

  /// Claims now, on this thread, which waits for the store. If there is nothing the claim waits as long as it was asked
  /// for and is tried again when something may be claimed; meanwhile the worker's lease is renewed. What was claimed
  /// for a sink that is no longer open is given back.
  void claim(const Caller& caller, JobClaim claim, std::shared_ptr<ClaimSink> sink);

  /// Something was written. From any thread; does not wait.
  void wake() { waiters_.wake(); }
  /// Answers all that wait with nothing. Safe to call twice.
  void stop() { waiters_.stop(); }

 private:
  struct Pending {
    Caller caller;
    JobClaim claim;
    std::shared_ptr<ClaimSink> sink;
  };

  /// False if there was nothing, and nothing has been answered.
  [[nodiscard]] bool try_to_claim(const Pending& pending);
  void give(const Pending& pending, std::vector<ClaimedJob> jobs);
  [[nodiscard]] bool is_over(const Pending& pending);
  [[nodiscard]] std::optional<WaitingClaim::Clock::duration> renew(const Pending& pending);

  Access& access_;
  Workers& workers_;
  ClaimWaiters waiters_;
};

}  // namespace carillon
