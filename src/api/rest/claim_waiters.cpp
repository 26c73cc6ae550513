#include "api/rest/claim_waiters.hpp"

#include <algorithm>
#include <iterator>

namespace carillon::rest {
namespace {

using Clock = std::chrono::steady_clock;

/// What becomes claimable by the passing of time alone is noticed this late at most.
constexpr auto look_interval = std::chrono::milliseconds{500};
/// A thousand starts a second must not make every waiter ask a thousand times.
constexpr auto rest_between = std::chrono::milliseconds{5};

}  // namespace

ClaimWaiters::ClaimWaiters() : thread_{[this](const std::stop_token& token) { run(token); }} {}

void ClaimWaiters::add(Try again, Clock::time_point deadline) {
  {
    const std::scoped_lock lock{mutex_};
    newcomers_.push_back({.again = std::move(again), .deadline = deadline});
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

void ClaimWaiters::run(const std::stop_token& token) {
  std::list<Waiter> waiters;
  while (!token.stop_requested()) {
    auto until = Clock::now() + look_interval;
    for (const Waiter& waiter : waiters) until = std::min(until, waiter.deadline);
    {
      std::unique_lock lock{mutex_};
      if (waiters.empty())
        condition_.wait(lock, token, [&] { return !newcomers_.empty(); });
      else
        condition_.wait_until(lock, token, until, [&] { return is_woken_; });
      is_woken_ = false;
      std::ranges::move(newcomers_, std::back_inserter(waiters));
      newcomers_.clear();
    }
    const bool is_end = token.stop_requested();
    std::erase_if(waiters, [&](Waiter& waiter) {
      const bool is_last = is_end || Clock::now() >= waiter.deadline;
      return waiter.again(is_last) || is_last;
    });
    std::this_thread::sleep_for(rest_between);
  }
}

}  // namespace carillon::rest
