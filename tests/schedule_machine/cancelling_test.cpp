#include "schedule_machine/expected_counts.hpp"
#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

Tower tower_with_one_waiting() {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:06");
  return tower;
}

TEST(Cancelling, ends_a_queued_run_at_once) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));

  EXPECT_EQ(tower.row("09:00").run.state, RunState::cancelled);
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
}

TEST(Cancelling, ends_a_run_between_two_attempts_at_once) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.row("09:00").run.state = RunState::retrying;

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));

  EXPECT_EQ(tower.row("09:00").run.state, RunState::cancelled);
}

TEST(Cancelling, asks_a_running_one_to_stop) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));

  EXPECT_EQ(tower.row("09:00").run.state, RunState::running);
  EXPECT_EQ(tower.row("09:00").run.stop, Stop::cancel);
}

TEST(Cancelling, ends_a_waiting_start_as_a_run_that_was_cancelled) {
  Tower tower = tower_with_one_waiting();

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:05"))));
  EXPECT_EQ(tower.row("09:05").run.state, RunState::cancelled);
  EXPECT_EQ(tower.row("09:05").run.attempt, 0);
  tower.finish("09:00");
  tower.until("09:09");

  EXPECT_EQ(tower.row("09:05").run.state, RunState::cancelled);
}

TEST(Cancelling, a_waiting_start_that_could_begin_in_this_moment_does_not) {
  Tower tower = tower_with_one_waiting();
  tower.end_run(1, RunState::succeeded);

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:05"))));

  EXPECT_EQ(tower.row("09:05").run.state, RunState::cancelled);
  EXPECT_EQ(tower.row("09:05").run.queued_at, Instant{});
  EXPECT_EQ(told_counts(tower), expected_counts(tower));
}

TEST(Cancelling, lets_the_next_one_begin) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:06");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));
  EXPECT_EQ(tower.state().wake, tower.now());
  tower.look();

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Cancelling, is_refused_when_the_run_has_ended) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  const auto fresh = tower.happens(cancel(tower.row("09:00")));
  tower.until("09:05");
  const auto counted_since = tower.happens(cancel(tower.row("09:00")));

  EXPECT_EQ(fresh.error().code, ErrorCode::conflict);
  EXPECT_EQ(fresh.error().message, "the run has already ended");
  EXPECT_EQ(counted_since.error().code, ErrorCode::conflict);
}

TEST(Cancelling, is_refused_when_the_run_was_taken_back) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_EQ(tower.happens(cancel(tower.rows()[0])).error().code, ErrorCode::conflict);
}

TEST(Cancelling, ends_what_a_pause_has_held_back) {
  Tower tower{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_TRUE(tower.row("09:00").is_held_back);

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));
  tower.until("09:01");
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_EQ(tower.rows()[0].run.state, RunState::cancelled);
}

TEST(Cancelling, changes_neither_revision_nor_status) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));

  EXPECT_EQ(tower.state().revision, 1);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Cancelling, the_last_run_of_a_schedule_lets_it_be_done) {
  Tower tower{a_schedule().once(moment("09:00")), "08:58"};
  tower.until("09:00");

  ASSERT_TRUE(tower.happens(cancel(tower.row("09:00"))));
  tower.until("09:00");

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

}  // namespace
}  // namespace carillon::testing
