#include "stores/postgres/clock_watch.hpp"

#include <gtest/gtest.h>

namespace carillon::postgres {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};

ClockReading reading(Duration database, Duration boot, Duration took = 0s, Duration moved = 0s) {
  return {.now = noon + database, .moved = moved, .before = boot, .after = boot + took};
}

TEST(ClockWatch, sees_no_step_while_time_passes) {
  ClockWatch watch;

  EXPECT_EQ(watch.step_seen(reading(0s, 100s)), 0s);
  EXPECT_EQ(watch.step_seen(reading(1h, 100s + 1h)), 0s);
}

TEST(ClockWatch, sees_how_far_the_clock_was_set) {
  ClockWatch watch;
  ASSERT_EQ(watch.step_seen(reading(0s, 100s)), 0s);

  EXPECT_EQ(watch.step_seen(reading(1h, 100s)), 1h);
  EXPECT_EQ(watch.step_seen(reading(-1h, 100s)), -1h);
}

TEST(ClockWatch, takes_an_answer_that_took_long_for_no_step) {
  ClockWatch watch;
  ASSERT_EQ(watch.step_seen(reading(0s, 100s)), 0s);

  // This process was stopped for a minute, before or after the database looked at its clock.
  EXPECT_EQ(watch.step_seen(reading(1s, 101s, 60s)), 0s);
  EXPECT_EQ(watch.step_seen(reading(61s, 101s, 60s)), 0s);
}

TEST(ClockWatch, lets_the_paces_of_two_clocks_never_add_up_to_a_step) {
  ClockWatch watch;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(watch.step_seen(reading(i * 1001ms * 60, i * 1000ms * 60)), 0s) << i;
}

TEST(ClockWatch, leaves_a_step_that_another_server_has_noticed_alone) {
  ClockWatch watch;
  ASSERT_EQ(watch.step_seen(reading(0s, 100s)), 0s);

  EXPECT_EQ(watch.step_seen(reading(1h, 100s, 0s, 1h)), 0s);
  EXPECT_EQ(watch.step_seen(reading(1h + 10s, 110s, 0s, 1h)), 0s);
}

}  // namespace
}  // namespace carillon::postgres
