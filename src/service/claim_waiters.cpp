#include "service/claim_waiters.hpp"

#include <algorithm>
#include <iterator>
#include <list>

namespace carillon {
namespace {

using SteadyClock = WaitingClaim::Clock;

/// What becomes claimable by the passing of time alone is noticed this late at most; so is a client that has gone.
constexpr auto look_interval = std::chrono::milliseconds{500};
/// A thousand starts a second must not make the store be read a thousand times.
constexpr auto rest_between = std::chrono::milliseconds{5};
/// The claim itself has renewed the lease, which has at least five seconds.
constexpr auto first_renewal = std::chrono::seconds{2};

}  // namespace

ClaimWaiters::ClaimWaiters(HasWork has_work, LoopMonitor* loops)
    : has_work_{std::move(has_work)},
      thread_{watched_thread(loops, "claim-waiters",
                             [this](const auto& token, const auto& pulse) { run(token, pulse); })} {}

void ClaimWaiters::add(WaitingClaim claim) {
  const auto now = SteadyClock::now();
  {
    const std::scoped_lock lock{mutex_};
    newcomers_.push_back(
        {.claim = std::move(claim), .next_check = now + look_interval, .next_renewal = now + first_renewal});
    is_woken_ = true;
  }
  condition_.notify_one();
}

void ClaimWaiters::wake() {
  {
    const std::scoped_lock lock{mutex_};
    is_woken_ = true;
  }
  condition_.notify_one();
}

void ClaimWaiters::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool ClaimWaiters::may_get_something(const Waiter& waiter, Answers& answers) const {
  const auto [known, is_new] = answers.try_emplace({waiter.claim.queues, waiter.claim.skills}, false);
  if (is_new) known->second = has_work_(waiter.claim.queues, waiter.claim.skills);
  return known->second;
}

bool ClaimWaiters::serve(Waiter& waiter, Answers& answers, bool is_end) const {
  const auto now = SteadyClock::now();
  if (now >= waiter.next_check) {
    if (waiter.claim.is_over()) return true;
    waiter.next_check = now + look_interval;
  }
  if (may_get_something(waiter, answers)) {
    if (waiter.claim.claim()) return true;
    answers[{waiter.claim.queues, waiter.claim.skills}] = false;  // somebody else was faster
  }
  if (is_end || now >= waiter.claim.deadline) {
    waiter.claim.end();
    return true;
  }
  if (now < waiter.next_renewal) return false;
  const auto next = waiter.claim.renew();
  waiter.next_renewal = now + next.value_or(look_interval);
  return !next;
}

void ClaimWaiters::run(const std::stop_token& token, const LoopMonitor::Pulse& pulse) {
  std::list<Waiter> waiters;
  while (!token.stop_requested()) {
    pulse.beat();
    auto until = SteadyClock::now() + look_interval;
    for (const Waiter& waiter : waiters) until = std::min(until, waiter.claim.deadline);
    {
      std::unique_lock lock{mutex_};
      if (waiters.empty())
        condition_.wait_for(lock, token, pulse_interval, [&] { return !newcomers_.empty(); });
      else
        condition_.wait_until(lock, token, until, [&] { return is_woken_; });
      is_woken_ = false;
      std::ranges::move(newcomers_, std::back_inserter(waiters));
      newcomers_.clear();
    }
    const bool is_end = token.stop_requested();
    Answers answers;
    std::erase_if(waiters, [&](Waiter& waiter) {
      pulse.beat();
      return serve(waiter, answers, is_end);
    });
    std::this_thread::sleep_for(rest_between);
  }
}

}  // namespace carillon
