#include "service/claim_waiters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;

/// Counts what a claim that waits asks for.
struct Counted {
  std::atomic<int> claims = 0;
  std::atomic<int> renewals = 0;
  std::promise<void> served;
  std::promise<void> ended;
  std::atomic<bool> is_served = false;

  WaitingClaim waiting(std::chrono::milliseconds wait) {
    return {.queues = {"default"},
            .deadline = std::chrono::steady_clock::now() + wait,
            .is_over = [] { return false; },
            .claim =
                [this] {
                  ++claims;
                  if (!is_served) return false;
                  served.set_value();
                  return true;
                },
            .end = [this] { ended.set_value(); },
            .renew = [this]() -> std::optional<std::chrono::steady_clock::duration> {
              ++renewals;
              return 1h;
            }};
  }
};

TEST(ClaimWaiters, try_nothing_while_there_is_nothing) {
  Counted counted;
  std::atomic<int> looks = 0;
  ClaimWaiters waiters{[&](std::span<const std::string>, const WorkerSkills&) {
    ++looks;
    return false;
  }};
  waiters.add(counted.waiting(300ms));
  for (int i = 0; i < 50; ++i) waiters.wake();

  counted.ended.get_future().wait();

  EXPECT_EQ(counted.claims, 0);
  EXPECT_EQ(counted.renewals, 0) << "the claim itself has renewed the lease";
  EXPECT_GE(looks, 1);
}

TEST(ClaimWaiters, renew_the_lease_while_they_wait) {
  std::promise<void> renewed;
  Counted counted;
  ClaimWaiters waiters{[](std::span<const std::string>, const WorkerSkills&) { return false; }};
  WaitingClaim claim = counted.waiting(10min);
  claim.renew = [&]() -> std::optional<std::chrono::steady_clock::duration> {
    renewed.set_value();
    return 1h;
  };
  waiters.add(std::move(claim));

  // Long before the shortest lease, of five seconds, is over; the rest is patience with a slow machine.
  EXPECT_EQ(renewed.get_future().wait_for(1min), std::future_status::ready);
}

TEST(ClaimWaiters, are_served_when_something_has_come) {
  Counted counted;
  std::atomic<bool> has_work = false;
  ClaimWaiters waiters{[&](std::span<const std::string>, const WorkerSkills&) { return has_work.load(); }};
  waiters.add(counted.waiting(std::chrono::minutes{10}));

  counted.is_served = true;
  has_work = true;
  waiters.wake();

  counted.served.get_future().wait();
  EXPECT_EQ(counted.claims, 1);
}

TEST(ClaimWaiters, ask_the_store_once_for_all_who_wait_for_the_same_queues) {
  std::vector<Counted> counted(20);
  std::atomic<int> looks = 0;
  std::atomic<bool> has_work = false;
  ClaimWaiters waiters{[&](std::span<const std::string>, const WorkerSkills&) {
    ++looks;
    return has_work.load();
  }};
  for (Counted& one : counted) waiters.add(one.waiting(std::chrono::minutes{10}));
  has_work = true;
  counted.front().is_served = true;
  waiters.wake();
  counted.front().served.get_future().wait();

  int claims = 0;
  for (Counted& one : counted) claims += one.claims;
  EXPECT_LE(claims, 2 * looks) << "whoever finds nothing speaks for the others";
  has_work = false;
}

}  // namespace
}  // namespace carillon
