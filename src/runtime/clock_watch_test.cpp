#include "runtime/clock_watch.hpp"

#include <gtest/gtest.h>

namespace carillon {
namespace {

using namespace std::chrono_literals;
using Verdict = ClockWatch::Verdict;

class ClockWatchTest : public ::testing::Test {
 protected:
  ClockWatchTest() { EXPECT_EQ(look(), Verdict::steady); }
  Verdict look(bool is_synchronised = false) {
    return watch_.look({.store_now = wall_, .since_boot = boot_, .is_synchronised = is_synchronised});
  }
  void pass(Duration length) {
    wall_ += length;
    boot_ += length;
  }

  Instant wall_ = Instant{} + 20'000 * 24h;
  Duration boot_ = 5h;
  ClockWatch watch_;
};

TEST_F(ClockWatchTest, time_that_passes_is_no_step) {
  pass(3h);

  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_small_step_forward_is_taken_as_it_is) {
  pass(1s);
  wall_ += 20min;

  EXPECT_EQ(look(), Verdict::stepped);
  EXPECT_EQ(watch_.last_step(), 20min);
  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_large_step_forward_is_held_for_a_minute) {
  wall_ += 2h;

  EXPECT_EQ(look(), Verdict::held);
  pass(59s);
  EXPECT_EQ(look(), Verdict::held);
  pass(1s);
  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_clock_that_is_kept_right_is_believed_sooner) {
  wall_ += 2h;
  EXPECT_EQ(look(), Verdict::held);
  pass(5s);

  EXPECT_EQ(look(true), Verdict::steady);
}

TEST_F(ClockWatchTest, a_step_that_is_taken_back_was_never_believed) {
  wall_ += 2h;
  EXPECT_EQ(look(), Verdict::held);
  pass(5s);
  wall_ -= 2h;

  EXPECT_EQ(look(), Verdict::went_back);
  EXPECT_EQ(look(), Verdict::steady);
  EXPECT_EQ(watch_.newest_seen(), wall_ - 5s + 2h);
}

TEST_F(ClockWatchTest, a_clock_that_goes_back_little_by_little_is_seen) {
  Verdict verdict = Verdict::steady;
  for (int i = 0; i < 10 && verdict == Verdict::steady; ++i) {
    pass(1s);
    wall_ -= 100ms;
    verdict = look();
  }

  EXPECT_EQ(verdict, Verdict::went_back);
}

TEST_F(ClockWatchTest, after_opening_again_only_later_times_count_as_seen) {
  wall_ += 30min;
  (void)look();
  wall_ -= 30min;
  (void)look();

  watch_.reopened(wall_);

  EXPECT_EQ(watch_.newest_seen(), wall_);
}

}  // namespace
}  // namespace carillon
