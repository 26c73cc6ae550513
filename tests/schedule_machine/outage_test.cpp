#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

ScheduleBuilder every_ten_seconds(OverlapPolicy overlap = OverlapPolicy::skip) {
  return a_schedule().every(10s).overlap(overlap);
}

TEST(Outages, what_came_due_in_one_is_not_said_to_overlap_with_what_was_started_after_it) {
  Tower tower{every_ten_seconds(), "09:00:00"};
  tower.until("09:00:10");
  tower.finish("09:00:10");
  (void)tower.new_lines();

  tower.sleep_until("09:00:55");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:00:20 started", "09:00:30 skipped(outage)", "09:00:40 skipped(outage)",
                                             "09:00:50 skipped(outage)"));
  EXPECT_EQ(tower.state().counts.skipped[static_cast<std::size_t>(SkipReason::outage)], 3);
}

TEST(Outages, what_had_started_before_is_still_in_the_way) {
  Tower tower{every_ten_seconds(), "09:00:00"};
  tower.until("09:00:10");
  tower.launch("09:00:10");
  (void)tower.new_lines();

  tower.sleep_until("09:00:35");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:00:20 skipped(overlap)", "09:00:30 skipped(overlap)"));
}

TEST(Outages, what_waited_before_is_still_in_the_way) {
  Tower tower{every_ten_seconds(OverlapPolicy::buffer_one), "09:00:00"};
  tower.until("09:00:20");
  ASSERT_EQ(tower.row("09:00:20").outcome, DecisionOutcome::waiting);
  (void)tower.new_lines();

  tower.sleep_until("09:00:35");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:00:30 skipped(overlap)"));
}

TEST(Outages, a_buffer_of_one_that_was_filled_after_it_is_not_said_to_overlap) {
  Tower tower{every_ten_seconds(OverlapPolicy::buffer_one), "09:00:00"};

  tower.sleep_until("09:00:45");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00:10 started", "09:00:20 waiting", "09:00:30 skipped(outage)",
                                          "09:00:40 skipped(outage)"));
}

TEST(Outages, what_comes_due_after_one_meets_the_slot_as_ever) {
  Tower tower{every_ten_seconds(), "09:00:00"};
  tower.sleep_until("09:00:15");
  (void)tower.new_lines();

  tower.until("09:00:20");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:00:20 skipped(overlap)"));
}

TEST(Outages, one_that_is_too_short_to_be_told_changes_nothing) {
  Tower tower{a_schedule().every(1s), "09:00:00"};

  tower.sleep_until("09:00:03");

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00:01 started", "09:00:02 skipped(overlap)", "09:00:03 skipped(overlap)"));
}

TEST(Outages, do_not_change_what_starts) {
  for (const OverlapPolicy overlap : {OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all, OverlapPolicy::allow_all,
                                      OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower{every_ten_seconds(overlap), "09:00:00"};

    tower.sleep_until("09:00:45");

    for (const Tower::Row& row : tower.rows()) EXPECT_NE(row.reason, SkipReason::outage) << to_text(overlap);
  }
}

TEST(Outages, a_clock_that_passes_the_time_again_finds_whoever_runs_then) {
  Tower tower{every_ten_seconds(), "09:00:00"};
  tower.sleep_until("09:00:45");
  tower.set_clock(moment("09:00:05"));
  ASSERT_TRUE(tower.happens(ClockSetBack{}));
  (void)tower.new_lines();

  tower.until("09:00:20");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:00:20 skipped(overlap)"));
}

}  // namespace
}  // namespace carillon::testing
