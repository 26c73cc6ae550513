#include "schedule_machine/expected_counts.hpp"
#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

std::int64_t skipped(const Counts& counts, SkipReason reason) {
  return counts.skipped[static_cast<std::size_t>(reason)];
}

TEST(Counting, a_run_counts_when_it_starts_and_its_result_when_it_has_ended) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  EXPECT_EQ(told_counts(tower).runs, 1);
  EXPECT_EQ(told_counts(tower).successes, 0);

  tower.finish("09:00");

  EXPECT_EQ(tower.state().counts.successes, 0) << "ending a run need not touch its schedule";
  EXPECT_EQ(told_counts(tower).successes, 1);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, a_result_is_counted_once) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  tower.until("09:20");

  EXPECT_EQ(told_counts(tower).successes, 1);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, failed_timed_out_and_lost_are_errors_and_nothing_else_is) {
  Tower tower{a_schedule().every(5min), "08:58"};
  for (const auto& [nominal, how] : {std::pair{"09:00", RunState::failed}, std::pair{"09:05", RunState::timed_out},
                                     std::pair{"09:10", RunState::lost}, std::pair{"09:15", RunState::cancelled},
                                     std::pair{"09:20", RunState::expired}}) {
    tower.until(nominal);
    tower.finish(nominal, how);
  }

  EXPECT_EQ(told_counts(tower).errors, 3);
  EXPECT_EQ(told_counts(tower).runs, 5);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, a_range_counts_each_of_its_occurrences) {
  Tower tower{a_schedule().every(1min), "08:58"};

  tower.sleep_until("10:00:30");

  EXPECT_EQ(skipped(told_counts(tower), SkipReason::superseded), 60);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, a_run_that_was_taken_back_is_a_skip_and_no_run) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");

  ASSERT_TRUE(tower.happens(pause()));
  EXPECT_EQ(told_counts(tower).runs, 0);
  EXPECT_EQ(skipped(told_counts(tower), SkipReason::paused), 1);
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_EQ(told_counts(tower), expected_counts(tower));
  EXPECT_EQ(tower.state().counts.runs, 0);
}

TEST(Counting, a_run_that_is_held_back_has_not_started_until_it_is_released) {
  Tower tower{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  tower.until("09:00");

  ASSERT_TRUE(tower.happens(pause()));
  EXPECT_EQ(told_counts(tower).runs, 0);
  tower.until("09:01");
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_EQ(told_counts(tower).runs, 1);
}

TEST(Counting, a_run_that_was_held_back_and_then_given_up_is_a_skip_and_no_run) {
  Tower disabled{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  Tower deleted{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  for (Tower* tower : {&disabled, &deleted}) {
    tower->until("09:00");
    ASSERT_TRUE(tower->happens(pause()));
    ASSERT_TRUE(tower->happens(tower == &disabled ? disable() : erase()));

    EXPECT_EQ(told_counts(*tower).runs, 0);
    EXPECT_EQ(told_counts(*tower), expected_counts(*tower));
  }
}

TEST(Counting, a_waiting_start_counts_once_it_has_started_or_was_given_up) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_latest), "08:58"};
  tower.until("09:10");
  EXPECT_EQ(told_counts(tower).runs, 1);
  EXPECT_EQ(skipped(told_counts(tower), SkipReason::superseded), 1);

  tower.finish("09:00");

  EXPECT_EQ(told_counts(tower).runs, 2);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, a_waiting_start_that_is_cancelled_was_a_run) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:05");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:05"))));

  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, a_start_that_gives_way_in_the_same_moment_is_no_run) {
  Tower tower{a_schedule().every(10s).overlap(OverlapPolicy::cancel_other), "08:59:35"};

  tower.sleep_until("09:00:00");

  EXPECT_EQ(told_counts(tower).runs, 1);
  EXPECT_EQ(skipped(told_counts(tower), SkipReason::superseded), 2);
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Counting, starts_by_hand_and_backfills_are_runs_but_no_repeats) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.look();

  tower.end_run(1, RunState::succeeded);
  tower.end_run(2, RunState::succeeded);

  EXPECT_EQ(told_counts(tower).runs, 2);
  EXPECT_EQ(told_counts(tower).successes, 2);
  EXPECT_EQ(told_counts(tower).repeats, 0);
}

TEST(Counting, looking_at_a_view_changes_nothing) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.finish("09:00", RunState::failed);
  const ScheduleView view = tower.view();

  EXPECT_EQ(counted(view), counted(view));
  EXPECT_EQ(counted(view).consecutive_failures, 1);
  EXPECT_EQ(view.state.counts.errors, 0);
}

}  // namespace
}  // namespace carillon::testing
