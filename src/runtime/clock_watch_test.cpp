#include "runtime/clock_watch.hpp"

#include "base/error.hpp"

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
  EXPECT_EQ(look(), Verdict::stepped);
  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_clock_that_is_kept_right_is_believed_sooner) {
  wall_ += 2h;
  EXPECT_EQ(look(), Verdict::held);
  pass(5s);

  EXPECT_EQ(look(true), Verdict::stepped);
  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_large_step_back_is_held_for_a_minute_too) {
  wall_ -= 2h;

  EXPECT_EQ(look(), Verdict::held);
  pass(59s);
  EXPECT_EQ(look(), Verdict::held);
  pass(1s);
  EXPECT_EQ(look(), Verdict::went_back);
  EXPECT_EQ(look(), Verdict::steady);
}

TEST_F(ClockWatchTest, a_clock_that_jumps_again_while_it_is_held_is_held_anew) {
  wall_ += 2h;
  EXPECT_EQ(look(), Verdict::held);
  pass(59s);
  wall_ += 10min;
  EXPECT_EQ(look(), Verdict::held);
  pass(59s);

  EXPECT_EQ(look(), Verdict::held);
}

TEST_F(ClockWatchTest, whoever_asks_hears_of_a_jump_before_anybody_has_looked) {
  const auto check = [&](bool is_synchronised) {
    return watch_.check({.store_now = wall_, .since_boot = boot_, .is_synchronised = is_synchronised});
  };
  EXPECT_TRUE(check(false));
  wall_ += 2h;

  EXPECT_EQ(check(false).error().code, ErrorCode::unavailable);
  EXPECT_TRUE(check(true));
  EXPECT_EQ(look(), Verdict::held);
  EXPECT_FALSE(check(false));
  pass(60s);
  EXPECT_EQ(look(), Verdict::stepped);
  EXPECT_TRUE(check(false));
}

TEST(ClockWatchAtTheStart, a_clock_far_behind_what_the_store_knows_is_held_for_a_minute) {
  const Instant known = Instant{} + 20'000 * 24h;
  ClockWatch watch;
  const auto look = [&](Duration boot) {
    return watch.look({.store_now = known - 3h + boot, .since_boot = boot}, known);
  };

  EXPECT_EQ(look(1s), Verdict::held);
  EXPECT_FALSE(watch.check({.store_now = known - 3h + 2s, .since_boot = 2s}));
  EXPECT_EQ(look(60s), Verdict::held);
  EXPECT_EQ(look(61s), Verdict::went_back);
  EXPECT_TRUE(watch.check({.store_now = known - 3h + 62s, .since_boot = 62s}));
}

TEST(ClockWatchAtTheStart, a_clock_a_little_behind_is_believed) {
  const Instant known = Instant{} + 20'000 * 24h;
  ClockWatch watch;

  EXPECT_EQ(watch.look({.store_now = known - 30min, .since_boot = 1s}, known), Verdict::steady);
}

TEST(ClockWatchAtTheStart, a_clock_from_before_the_program_was_made_is_never_believed) {
  const Instant made = Instant{} + 20'000 * 24h;
  ClockWatch watch{made};
  const auto sight = [&](Duration boot) {
    return ClockWatch::Sight{.store_now = Instant{} + boot, .since_boot = boot, .is_synchronised = true};
  };

  EXPECT_EQ(watch.look(sight(1s)), Verdict::held);
  EXPECT_EQ(watch.look(sight(10h)), Verdict::held);
  EXPECT_FALSE(watch.check(sight(10h)));
  EXPECT_EQ(watch.look({.store_now = made + 1h, .since_boot = 10h + 1s}), Verdict::steady);
}

TEST(ClockWatch, that_is_set_back_to_before_the_program_was_made_is_held_until_it_is_right) {
  const Instant made = Instant{} + 20'000 * 24h;
  ClockWatch watch{made};
  ASSERT_EQ(watch.look({.store_now = made + 1h, .since_boot = 1s}), Verdict::steady);

  EXPECT_EQ(watch.look({.store_now = Instant{}, .since_boot = 2s}), Verdict::held);
  EXPECT_EQ(watch.look({.store_now = Instant{} + 2h, .since_boot = 2h + 2s}), Verdict::held) << "not for a minute only";
  EXPECT_EQ(watch.look({.store_now = Instant{} + 3h, .since_boot = 3h + 2s, .is_synchronised = true}), Verdict::held);
  EXPECT_EQ(watch.look({.store_now = made + 5h, .since_boot = 4h + 1s}), Verdict::went_back) << "it was held";
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
