#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScheduleBuilder five_minutely() { return a_schedule().every(5min); }

TEST(Editing, what_is_due_already_is_decided_under_the_old_revision) {
  Tower tower{five_minutely(), "08:58"};
  tower.set_clock(moment("09:00:30"));

  ASSERT_TRUE(tower.edit(a_schedule().every(7min)));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "updated"));
  EXPECT_EQ(tower.row("09:00").revision, 1);
  EXPECT_EQ(tower.state().revision, 2);
}

TEST(Editing, the_new_spec_does_not_fire_for_times_before_the_edit) {
  Tower tower{a_schedule().every(1h), "08:58"};
  tower.until("09:42");
  (void)tower.new_lines();

  ASSERT_TRUE(tower.edit(five_minutely().overlap(OverlapPolicy::allow_all).catchup(CatchupPolicy::all)));
  tower.until("09:45");

  EXPECT_THAT(tower.new_lines(), ElementsAre("updated", "09:45 started"));
}

TEST(Editing, an_occurrence_of_the_new_spec_at_the_moment_of_the_edit_is_past) {
  Tower tower{a_schedule().every(1h), "08:58"};
  tower.until("09:40");

  ASSERT_TRUE(tower.edit(five_minutely()));
  tower.look();

  EXPECT_EQ(tower.started_count(), 1U);
  EXPECT_EQ(tower.state().wake, moment("09:45"));
}

TEST(Editing, computes_the_wake_time_anew) {
  Tower tower{a_schedule().every(1h), "08:58"};
  EXPECT_EQ(tower.state().wake, moment("09:00"));

  ASSERT_TRUE(tower.edit(a_schedule().every(1h).from(moment("12:00"))));
  EXPECT_EQ(tower.state().wake, moment("12:00"));

  ASSERT_TRUE(tower.edit(a_schedule().by_hand()));
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Editing, jitter_that_is_added_never_repeats_an_occurrence) {
  Tower tower{a_schedule().every(1h), "08:58"};
  tower.until("09:00:30");
  ASSERT_GT(a_schedule().every(1h).jitter(50min).definition().due(moment("09:00")), moment("09:01"));

  ASSERT_TRUE(tower.edit(a_schedule().every(1h).jitter(50min)));
  tower.until("09:59:59");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "updated"));
}

TEST(Editing, jitter_that_is_taken_away_never_repeats_an_occurrence) {
  Tower tower{a_schedule().every(1h).jitter(50min), "08:58"};
  const Instant due = tower.definition().due(moment("09:00"));
  tower.until(due);
  (void)tower.new_lines();

  ASSERT_TRUE(tower.edit(a_schedule().every(1h)));
  tower.until("10:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("updated", "10:00 skipped(overlap)"));
}

TEST(Editing, an_occurrence_whose_jitter_lies_ahead_still_fires_under_an_unchanged_spec) {
  Tower tower{a_schedule().every(1h).jitter(50min), "08:58"};
  const Instant due = tower.definition().due(moment("09:00"));
  ASSERT_GT(due, moment("09:01"));
  tower.until("09:00:30");

  ASSERT_TRUE(tower.edit(a_schedule().every(1h).jitter(50min).overlap(OverlapPolicy::allow_all)));
  tower.until(due);

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "updated", "09:00 started"));
  EXPECT_EQ(tower.row("09:00").revision, 2);
}

TEST(Editing, a_run_keeps_the_revision_it_started_under) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");

  ASSERT_TRUE(tower.edit(five_minutely().with([](Policies& p) { p.retry.attempt_count_max = 1; })));

  EXPECT_EQ(tower.row("09:00").revision, 1);
  EXPECT_THAT(tower.orders(), IsEmpty());
}

TEST(Editing, a_waiting_start_takes_the_revision_of_its_release) {
  Tower tower{five_minutely().overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:06");
  ASSERT_TRUE(tower.edit(five_minutely().overlap(OverlapPolicy::buffer_one)));
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);

  tower.finish("09:00");

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.row("09:05").revision, 2);
}

TEST(Editing, a_waiting_start_need_not_wait_once_overlaps_are_allowed) {
  Tower tower{five_minutely().overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:06");

  ASSERT_TRUE(tower.edit(five_minutely().overlap(OverlapPolicy::allow_all)));
  tower.until("09:06:01");

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Editing, can_disable) {
  Tower tower{five_minutely().overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:05");

  ASSERT_TRUE(tower.edit(five_minutely().disabled()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::disabled);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 skipped(paused)", "09:05 skipped(paused)", "updated"));
}

TEST(Editing, what_is_due_when_an_edit_disables_it_does_not_start) {
  Tower tower{five_minutely(), "08:58"};
  tower.set_clock(moment("09:00"));

  ASSERT_TRUE(tower.edit(five_minutely().disabled()));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 skipped(paused)", "updated"));
}

TEST(Editing, can_enable_from_now_on) {
  Tower tower{five_minutely().disabled(), "08:58"};
  tower.until("09:12");

  ASSERT_TRUE(tower.edit(five_minutely()));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  tower.until("09:15");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "updated", "09:15 started"));
}

TEST(Editing, enables_into_the_pause_that_was_there) {
  Tower tower{five_minutely(), "08:58"};
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_TRUE(tower.edit(five_minutely().disabled()));

  ASSERT_TRUE(tower.edit(five_minutely()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
}

TEST(Editing, does_not_end_a_pause_and_settles_what_it_has_missed) {
  Tower tower{five_minutely(), "08:58"};
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:12");

  ASSERT_TRUE(tower.edit(a_schedule().every(10min)));
  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  tower.until("09:25");
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "paused", "09:00 … 09:10 (3) skipped(paused)", "updated",
                                          "09:20 skipped(paused)", "resumed"));
}

TEST(Editing, in_a_pause_that_keeps_what_it_misses_the_old_revision_decides_what_is_kept) {
  const auto keeping = [] { return five_minutely().missed(PauseMissed::buffer).overlap(OverlapPolicy::buffer_all); };
  Tower tower{keeping(), "08:58"};
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:00:30");

  ASSERT_TRUE(tower.edit(keeping().every(10min)));
  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::waiting);
  tower.until("09:03");
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "paused", "09:00 started", "updated", "resumed"));
}

TEST(Editing, leaves_done_if_there_is_something_to_come) {
  Tower tower{a_schedule().once(moment("09:00")), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  ASSERT_EQ(tower.state().status, ScheduleStatus::done);
  tower.until("09:12");

  ASSERT_TRUE(tower.edit(a_schedule().once(moment("09:05"))));
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  ASSERT_TRUE(tower.edit(a_schedule().once(moment("09:30"))));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, moment("09:30"));
}

TEST(Editing, leaves_done_only_if_repeats_are_left) {
  const auto repeating = [](std::int64_t count) {
    return five_minutely().with([=](Policies& p) { p.total_repeats = count; });
  };
  Tower tower{repeating(1), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  ASSERT_EQ(tower.state().status, ScheduleStatus::done);

  ASSERT_TRUE(tower.edit(repeating(1)));
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  ASSERT_TRUE(tower.edit(repeating(2)));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Editing, ends_it_if_the_new_limit_has_been_reached) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  ASSERT_TRUE(tower.edit(five_minutely().with([](Policies& p) { p.total_repeats = 1; })));

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Editing, leaves_dead_and_forgets_the_failures) {
  const auto mortal = [] { return five_minutely().with([](Policies& p) { p.consecutive_failures_max = 1; }); };
  Tower tower{mortal(), "08:58"};
  tower.until("09:00");
  tower.finish("09:00", RunState::failed);
  ASSERT_EQ(tower.state().status, ScheduleStatus::dead);
  tower.until("09:12");

  ASSERT_TRUE(tower.edit(mortal()));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  tower.until("09:15");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "updated", "09:15 started"));
}

TEST(Editing, keeps_counts) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  ASSERT_TRUE(tower.edit(a_schedule().every(1h)));

  EXPECT_EQ(tower.state().counts.runs, 1);
  EXPECT_EQ(tower.state().counts.successes, 1);
}

TEST(Editing, decides_a_long_gap_at_once_whatever_it_costs) {
  Tower tower{a_schedule().every(1s).overlap(OverlapPolicy::allow_all).with([](Policies& p) { p.catchup.grace = 1h; }),
              "09:00:00"};
  tower.set_clock(moment("09:45:00"));

  ASSERT_TRUE(tower.edit(a_schedule().every(1h)));

  EXPECT_EQ(tower.started_count(), 2700U);
  EXPECT_EQ(tower.state().wake, moment("10:00"));
}

TEST(Editing, of_a_document_that_says_the_same_changes_nothing_but_the_revision) {
  Tower tower{five_minutely(), "08:58"};
  const Instant before = *tower.state().wake;

  ASSERT_TRUE(tower.edit(five_minutely()));

  EXPECT_EQ(tower.state().wake, before);
  EXPECT_EQ(tower.state().revision, 2);
  EXPECT_THAT(tower.rows(), IsEmpty());
}

}  // namespace
}  // namespace carillon::testing
