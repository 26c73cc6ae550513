#include "engine/retry_delay.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace carillon {
namespace {

using namespace std::chrono_literals;

Policies::Retry retry_with(Backoff backoff, Duration initial, std::optional<Duration> delay_max = {}) {
  Policies::Retry retry;
  retry.backoff = backoff;
  retry.initial = initial;
  retry.delay_max = delay_max;
  return retry;
}

std::vector<Duration> delays(const Policies::Retry& retry, int count) {
  std::vector<Duration> found;
  for (int failed = 1; failed <= count; ++failed) found.push_back(retry_delay(retry, failed, 0));
  return found;
}

TEST(RetryDelay, exponential_back_off_multiplies_each_time_until_the_cap) {
  EXPECT_EQ(delays(retry_with(Backoff::exponential, 1min), 6),
            (std::vector<Duration>{1min, 2min, 4min, 8min, 10min, 10min}));
}

TEST(RetryDelay, linear_back_off_adds_each_time) {
  EXPECT_EQ(delays(retry_with(Backoff::linear, 10s, 35s), 4), (std::vector<Duration>{10s, 20s, 30s, 35s}));
}

TEST(RetryDelay, fixed_back_off_stays) {
  EXPECT_EQ(delays(retry_with(Backoff::fixed, 5s), 3), (std::vector<Duration>{5s, 5s, 5s}));
}

TEST(RetryDelay, a_thousand_doublings_stay_at_the_cap) {
  Policies::Retry retry = retry_with(Backoff::exponential, 1min);
  retry.factor = 1000;

  EXPECT_EQ(retry_delay(retry, 1000, 0), 10min);
}

TEST(RetryDelay, jitter_adds_up_to_its_share_and_is_the_same_for_the_same_seed) {
  Policies::Retry retry = retry_with(Backoff::fixed, 10s);
  retry.jitter = 0.5;
  std::set<Duration> seen;

  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Duration delay = retry_delay(retry, 1, seed);
    EXPECT_GE(delay, 10s);
    EXPECT_LT(delay, 15s);
    EXPECT_EQ(delay, retry_delay(retry, 1, seed));
    seen.insert(delay);
  }

  EXPECT_GT(seen.size(), 990U);
}

}  // namespace
}  // namespace carillon
