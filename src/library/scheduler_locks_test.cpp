#include "library/scheduler_test.hpp"

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

class SchedulerLocks : public SchedulerTest {};

TEST_F(SchedulerLocks, a_lock_is_had_by_one_until_it_is_released) {
  const HeldLock mine = scheduler.acquire_lock("pruning", {.owner = "first"}).value();

  EXPECT_EQ(scheduler.acquire_lock("pruning", {.owner = "second"}).error().code, FailureCode::conflict);
  ASSERT_TRUE(scheduler.release_lock("pruning", mine.token));
  const HeldLock next = scheduler.acquire_lock("pruning", {.owner = "second"}).value();

  EXPECT_EQ(mine.owner, "first");
  EXPECT_EQ(mine.until - mine.acquired_at, 1min);
  EXPECT_GT(next.fence, mine.fence);
}

TEST_F(SchedulerLocks, everybody_is_told_who_holds_a_lock_and_nobody_its_token) {
  const HeldLock mine = scheduler.acquire_lock("pruning", {.owner = "first"}).value();

  const HeldLock told = scheduler.find_lock("pruning").value();

  EXPECT_EQ(told.owner, "first");
  EXPECT_EQ(told.fence, mine.fence);
  EXPECT_EQ(told.token, "");
  EXPECT_EQ(scheduler.find_lock("nobody").error().code, FailureCode::not_found);
}

TEST_F(SchedulerLocks, only_its_token_extends_and_releases_a_lock) {
  const HeldLock mine = scheduler.acquire_lock("pruning", {.ttl = 10s}).value();

  EXPECT_EQ(scheduler.extend_lock("pruning", "another", 1h).error().code, FailureCode::conflict);
  EXPECT_EQ(scheduler.release_lock("pruning", "another").error().code, FailureCode::conflict);
  const HeldLock longer = scheduler.extend_lock("pruning", mine.token, 1h).value();

  EXPECT_GE(longer.until, mine.until + 59min);
  EXPECT_EQ(longer.fence, mine.fence);
}

TEST_F(SchedulerLocks, a_lock_lasts_in_real_time_whatever_the_clock_of_the_program_shows) {
  const auto clock = std::make_shared<ManualWallClock>(TimePoint{});
  Scheduler with_clock = Scheduler::open({.clock = clock}).value();
  const HeldLock mine = with_clock.acquire_lock("pruning", {.ttl = 1h}).value();

  clock->advance(24h);

  EXPECT_EQ(with_clock.acquire_lock("pruning").error().code, FailureCode::conflict);
  EXPECT_TRUE(with_clock.extend_lock("pruning", mine.token));
}

TEST_F(SchedulerLocks, one_who_asks_again_with_the_same_token_has_the_lock) {
  const HeldLock mine = scheduler.acquire_lock("pruning", {.token = "made before"}).value();

  EXPECT_EQ(scheduler.acquire_lock("pruning", {.token = "made before"})->fence, mine.fence);
}

TEST_F(SchedulerLocks, what_cannot_be_a_lock_is_refused) {
  EXPECT_EQ(scheduler.acquire_lock("no/name").error().code, FailureCode::invalid_argument);
  EXPECT_EQ(scheduler.acquire_lock("pruning", {.ttl = 0s}).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(scheduler.acquire_lock("pruning", {.token = ""}).error().code, FailureCode::invalid_argument);
}

TEST_F(SchedulerLocks, a_lock_is_there_when_the_folder_is_opened_again) {
  const TemporaryFolder folder;
  std::string token;
  {
    Scheduler first = Scheduler::open({.data = folder.path()}).value();
    token = first.acquire_lock("pruning", {.ttl = 1h})->token;
  }
  Scheduler second = Scheduler::open({.data = folder.path()}).value();

  EXPECT_EQ(second.acquire_lock("pruning").error().code, FailureCode::conflict);
  EXPECT_TRUE(second.release_lock("pruning", token));
}

}  // namespace
}  // namespace carillon::testing
