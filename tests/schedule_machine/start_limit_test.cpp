#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

ScheduleBuilder starting(std::int64_t count) {
  return a_schedule().every(5min).with([=](Policies& p) { p.starts_max = count; });
}

ScheduleBuilder unlimited() { return a_schedule().every(5min); }

TEST(StartLimit, ends_the_schedule_when_its_last_run_has_ended) {
  Tower tower{starting(2), "08:58"};

  tower.until("09:00");
  tower.finish("09:00", RunState::failed);
  tower.until("09:05");
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().counts.starts, 2);
  tower.finish("09:05");

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(StartLimit, what_comes_due_after_the_last_start_is_skipped_as_exhausted) {
  Tower tower{starting(1), "08:58"};

  tower.until("09:10");
  tower.finish("09:00");
  tower.until("10:00");

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 started", "09:05 skipped(exhausted)", "09:10 skipped(exhausted)"));
}

TEST(StartLimit, none_at_all_means_by_hand_only) {
  Tower tower{starting(0), "08:58"};
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);

  ASSERT_TRUE(tower.happens(trigger("t1")));
  tower.until("09:30");

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(StartLimit, skips_use_up_nothing) {
  Tower tower{starting(2), "08:58"};

  tower.until("09:10");  // two overlaps
  tower.finish("09:00");
  tower.until("09:15");

  EXPECT_EQ(tower.row("09:15").outcome, DecisionOutcome::started);
}

TEST(StartLimit, starts_by_hand_and_backfills_use_up_nothing) {
  Tower tower{starting(1), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.look();
  Backfill through = backfill_of("08:10", "08:15");
  through.id = "b2";
  through.overlap = OverlapPolicy::allow_all;
  ASSERT_TRUE(tower.happens(request(through)));
  tower.look();
  ASSERT_EQ(tower.started_count(), 3U);

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().counts.starts, 1);
}

TEST(StartLimit, no_more_are_caught_up_than_are_left) {
  Tower tower{starting(2).overlap(OverlapPolicy::allow_all).catchup(CatchupPolicy::all), "08:58"};

  tower.sleep_until("09:12");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup started", "09:05 catchup started",
                                          "09:10 catchup skipped(exhausted)"));
}

TEST(StartLimit, a_waiting_start_that_is_one_too_many_is_given_up) {
  Tower tower{starting(2).overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:11");

  tower.finish("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started", "09:10 skipped(exhausted)"));
  tower.finish("09:05");
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(StartLimit, a_start_that_a_pause_takes_back_is_given_back) {
  Tower tower{starting(1), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_THAT(tower.ledger(), Contains("09:00 skipped(paused)"));

  ASSERT_TRUE(tower.happens(resume()));
  tower.until("09:05");

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().counts.starts, 1);
}

TEST(StartLimit, a_start_that_a_pause_holds_back_keeps_its_place) {
  Tower tower{starting(1).with([](Policies& p) { p.pause.missed = PauseMissed::buffer; }), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_EQ(tower.row("09:00").outcome, DecisionOutcome::waiting);

  ASSERT_TRUE(tower.happens(resume()));
  tower.look();

  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().counts.starts, 1);
}

TEST(StartLimit, an_edit_that_raises_it_leaves_done) {
  Tower tower{starting(1), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  ASSERT_EQ(tower.state().status, ScheduleStatus::done);
  tower.until("09:12");

  ASSERT_TRUE(tower.edit(starting(2)));
  tower.until("09:20");

  EXPECT_EQ(tower.row("09:15").outcome, DecisionOutcome::started);
  EXPECT_THAT(tower.ledger(), Contains("09:20 skipped(exhausted)"));
  EXPECT_EQ(tower.state().counts.starts, 2);
}

TEST(StartLimit, an_edit_of_anything_else_leaves_it_done) {
  Tower tower{starting(1), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  ASSERT_TRUE(tower.edit(starting(1).overlap(OverlapPolicy::buffer_all)));
  tower.until("09:20");

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(StartLimit, counts_from_when_it_is_set) {
  Tower tower{unlimited(), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  tower.until("09:05");  // still running when the limit is set

  ASSERT_TRUE(tower.edit(starting(1)));
  tower.finish("09:05");
  tower.until("09:15");

  EXPECT_EQ(tower.row("09:10").outcome, DecisionOutcome::started);
  EXPECT_THAT(tower.ledger(), Contains("09:15 skipped(exhausted)"));
}

TEST(StartLimit, what_was_started_before_it_was_set_is_not_given_back) {
  Tower tower{unlimited(), "08:58"};
  tower.until("09:00");  // queued
  ASSERT_TRUE(tower.edit(starting(1)));
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_THAT(tower.ledger(), Contains("09:00 skipped(paused)"));

  ASSERT_TRUE(tower.happens(resume()));
  tower.until("09:05");
  tower.finish("09:05");
  tower.until("09:10");

  EXPECT_EQ(tower.state().counts.starts, 1);
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(StartLimit, a_reset_counts_from_zero) {
  Tower tower{starting(1), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  tower.until("09:12");

  ASSERT_TRUE(tower.happens(reset()));
  tower.until("09:15");

  EXPECT_EQ(tower.row("09:15").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().counts.starts, 1);
}

TEST(StartLimit, replacing_what_runs_uses_up_one_start_for_each_that_started) {
  Tower tower{starting(2).overlap(OverlapPolicy::cancel_other), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:05");
  tower.finish("09:00", RunState::cancelled);

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().counts.starts, 2);
}

}  // namespace
}  // namespace carillon::testing
