#include "conformance/store_test.hpp"

#include <array>
#include <atomic>
#include <thread>

namespace carillon::conformance {
namespace {

class Locks : public StoreTest {
 protected:
  static LockRequest request(std::string token, Duration ttl = 60s) {
    return {.name = "nightly", .token = std::move(token), .owner = "server a", .ttl = ttl};
  }
  LockAttempt acquire(std::string token, Duration ttl = 60s) {
    return must(locks().acquire_lock(request(std::move(token), ttl)));
  }
};
CARILLON_RUN_FOR_EVERY_STORE(Locks);

TEST_P(Locks, are_held_by_one_at_a_time) {
  const LockAttempt first = acquire("a");
  const LockAttempt second = acquire("b");

  EXPECT_TRUE(first.is_acquired);
  EXPECT_EQ(first.lock,
            (LockRecord{.owner = "server a", .fence = first.lock.fence, .acquired_at = noon, .until = noon + 60s}));
  EXPECT_FALSE(second.is_acquired);
  EXPECT_EQ(second.lock, first.lock);
  EXPECT_EQ(must(locks().read_lock("nightly")), first.lock);
  EXPECT_EQ(must(locks().read_lock("other")), std::nullopt);
}

TEST_P(Locks, are_had_again_by_who_did_not_hear_the_answer) {
  const LockAttempt first = acquire("a");
  advance(1s);

  const LockAttempt again = acquire("a");

  EXPECT_TRUE(again.is_acquired);
  EXPECT_EQ(again.lock, first.lock);
}

TEST_P(Locks, are_free_when_their_time_is_over) {
  const LockAttempt first = acquire("a");
  advance(60s);

  EXPECT_EQ(must(locks().read_lock("nightly")), std::nullopt);
  const LockAttempt second = acquire("b");

  EXPECT_TRUE(second.is_acquired);
  EXPECT_GT(second.lock.fence, first.lock.fence);
  EXPECT_EQ(must(locks().extend_lock("nightly", "a", 60s)), std::nullopt);
  EXPECT_FALSE(must(locks().release_lock("nightly", "a")));
  EXPECT_TRUE(must(locks().read_lock("nightly")).has_value());
}

TEST_P(Locks, are_extended_by_their_holder_only) {
  acquire("a");
  advance(50s);

  const auto extended = must(locks().extend_lock("nightly", "a", 30s));

  ASSERT_TRUE(extended);
  EXPECT_EQ(extended->until, noon + 80s);
  EXPECT_EQ(must(locks().extend_lock("nightly", "b", 30s)), std::nullopt);
  advance(20s);
  EXPECT_FALSE(acquire("b").is_acquired);
  advance(10s);
  EXPECT_EQ(must(locks().extend_lock("nightly", "a", 30s)), std::nullopt) << "it was free for a moment";
}

TEST_P(Locks, are_released_by_their_holder_only) {
  const LockAttempt first = acquire("a");

  EXPECT_FALSE(must(locks().release_lock("nightly", "b")));
  EXPECT_TRUE(must(locks().release_lock("nightly", "a")));
  EXPECT_FALSE(must(locks().release_lock("nightly", "a")));
  const LockAttempt second = acquire("b");

  EXPECT_TRUE(second.is_acquired);
  EXPECT_GT(second.lock.fence, first.lock.fence);
}

TEST_P(Locks, last_as_long_as_they_were_asked_for_when_the_clock_is_set) {
  acquire("a");

  step_clock(3h);
  EXPECT_FALSE(acquire("b").is_acquired);
  advance(61s);

  EXPECT_TRUE(acquire("b").is_acquired);
}

TEST_P(Locks, that_many_want_go_to_one_of_them) {
  constexpr std::size_t count = 8;
  std::atomic<int> acquired = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&, i] { acquired += acquire(std::to_string(i)).is_acquired ? 1 : 0; });
  }

  EXPECT_EQ(acquired, 1);
}

}  // namespace
}  // namespace carillon::conformance
