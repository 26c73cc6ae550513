#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tower tower_with_run_since_nine(ScheduleBuilder builder) {
  Tower tower{std::move(builder), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  (void)tower.new_lines();
  tower.until("09:01");
  return tower;
}

Tower idle_tower(ScheduleBuilder builder) {
  Tower tower{std::move(builder), "09:01"};
  (void)tower.new_lines();
  return tower;
}

ScheduleBuilder five_minutely() { return a_schedule().every(5min); }
ScheduleBuilder keeping() { return five_minutely().missed(PauseMissed::buffer); }

TEST(Pausing, what_came_due_in_a_pause_is_one_row_written_at_its_end) {
  Tower tower = idle_tower(five_minutely());

  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:21");
  EXPECT_THAT(tower.new_lines(), ElementsAre("paused"));
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 … 09:20 (4) skipped(paused)", "resumed"));
  EXPECT_EQ(tower.state().wake, moment("09:25"));
}

TEST(Pausing, nothing_wakes_a_paused_schedule) {
  Tower tower = tower_with_run_since_nine(five_minutely());

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_FALSE(tower.state().listens);
}

TEST(Pausing, a_look_at_a_paused_schedule_decides_nothing) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause()));
  (void)tower.new_lines();

  tower.sleep_until("09:30");

  EXPECT_THAT(tower.new_lines(), IsEmpty());
}

TEST(Pausing, says_who_why_and_until_when) {
  Tower tower = idle_tower(five_minutely());

  ASSERT_TRUE(tower.happens(Paused{.by = "anna", .reason = "audit", .until = moment("10:00")}));

  const Change& change = tower.changes().back();
  EXPECT_EQ(change.kind, ChangeKind::paused);
  EXPECT_EQ(change.by, "anna");
  EXPECT_EQ(change.reason, "audit");
  EXPECT_EQ(change.until, moment("10:00"));
  EXPECT_EQ(tower.state().paused_at, moment("09:01"));
  EXPECT_EQ(tower.state().paused_until, moment("10:00"));
}

TEST(Pausing, a_run_that_nobody_has_claimed_is_taken_back) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:01");

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 skipped(paused)", "paused"));
}

TEST(Pausing, a_run_that_is_claimed_in_that_very_moment_goes_on) {
  for (const PauseMissed missed : {PauseMissed::skip, PauseMissed::buffer}) {
    Tower tower{five_minutely().missed(missed), "08:58"};
    tower.until("09:01");
    const auto decided = step(tower.definition(), tower.view(), pause(), tower.now());

    tower.launch("09:00");
    tower.write(decided.value());

    EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started) << to_text(missed);
    EXPECT_EQ(tower.row("09:00").run.state, RunState::running) << to_text(missed);
  }
}

TEST(Pausing, what_runs_or_retries_goes_on) {
  for (const RunState state : {RunState::running, RunState::retrying}) {
    Tower tower = tower_with_run_since_nine(five_minutely());
    tower.row("09:00").run.state = state;

    ASSERT_TRUE(tower.happens(pause()));

    EXPECT_THAT(tower.orders(), IsEmpty()) << to_text(state);
    EXPECT_EQ(tower.row("09:00").run.state, state);
  }
}

TEST(Pausing, a_waiting_start_is_given_up) {
  Tower tower = tower_with_run_since_nine(five_minutely().overlap(OverlapPolicy::buffer_all));
  tower.until("09:11");

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(paused)", "09:10 skipped(paused)", "paused"));
}

TEST(Pausing, starts_by_hand_are_neither_taken_back_nor_held) {
  Tower tower = tower_with_run_since_nine(five_minutely());
  ASSERT_TRUE(tower.happens(trigger("queued")));
  ASSERT_TRUE(tower.happens(trigger("waits", OverlapPolicy::buffer_one)));
  (void)tower.new_lines();

  ASSERT_TRUE(tower.happens(pause()));
  EXPECT_THAT(tower.orders(), IsEmpty());
  EXPECT_TRUE(tower.state().listens);
  EXPECT_EQ(tower.rows().back().outcome, DecisionOutcome::waiting);

  tower.finish("09:00");
  EXPECT_EQ(tower.rows().back().outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
}

TEST(Pausing, buffer_holds_a_queued_run_back_until_the_pause_is_over) {
  Tower tower{keeping(), "08:58"};
  tower.until("09:01");

  ASSERT_TRUE(tower.happens(pause()));
  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::waiting);
  EXPECT_TRUE(tower.row("09:00").is_held_back);

  tower.until("09:03");
  ASSERT_TRUE(tower.happens(resume()));
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "paused", "resumed"));
  EXPECT_EQ(tower.row("09:00").run.queued_at, moment("09:03"));
}

TEST(Pausing, a_start_by_hand_begins_when_the_run_it_waited_for_is_held_back) {
  Tower tower{keeping(), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_one)));
  ASSERT_EQ(tower.rows()[1].outcome, DecisionOutcome::waiting);

  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:01");

  EXPECT_EQ(tower.rows()[0].outcome, DecisionOutcome::waiting);
  EXPECT_EQ(tower.rows()[1].outcome, DecisionOutcome::started);
}

TEST(Pausing, buffer_keeps_what_waits) {
  Tower tower = tower_with_run_since_nine(keeping().overlap(OverlapPolicy::buffer_all));
  tower.until("09:06");

  ASSERT_TRUE(tower.happens(pause()));
  tower.finish("09:00");
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);

  tower.until("09:07");
  ASSERT_TRUE(tower.happens(resume()));
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Pausing, what_buffer_has_kept_still_replaces_the_run_in_its_way) {
  Tower tower = tower_with_run_since_nine(keeping().overlap(OverlapPolicy::terminate_other));
  tower.set_clock(moment("09:05"));
  ASSERT_TRUE(tower.happens(Paused{.by = "anna", .until = moment("09:07")}));
  ASSERT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);
  ASSERT_EQ(tower.row("09:00").run.stop, Stop::none);

  tower.until("09:07");

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
}

TEST(Pausing, buffer_sends_the_pause_through_catching_up) {
  Tower latest = idle_tower(keeping());
  Tower all = idle_tower(keeping().catchup(CatchupPolicy::all).overlap(OverlapPolicy::buffer_all));
  Tower none = idle_tower(keeping().catchup(CatchupPolicy::none));
  for (Tower* tower : {&latest, &all, &none}) {
    ASSERT_TRUE(tower->happens(pause()));
    tower->until("09:22");
    ASSERT_TRUE(tower->happens(resume()));
  }

  EXPECT_THAT(latest.new_lines(),
              ElementsAre("paused", "09:05 … 09:15 (3) skipped(superseded)", "09:20 catchup started", "resumed"));
  EXPECT_THAT(all.new_lines(), ElementsAre("paused", "09:05 catchup started", "09:10 catchup waiting",
                                           "09:15 catchup waiting", "09:20 catchup waiting", "resumed"));
  EXPECT_THAT(none.new_lines(), ElementsAre("paused", "09:05 … 09:20 (4) skipped(missed)", "resumed"));
}

TEST(Pausing, buffer_starts_what_was_held_back_before_what_came_later) {
  Tower tower{keeping(), "08:58"};
  tower.until("09:01");
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:07");

  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 started", "paused", "09:05 catchup skipped(overlap)", "resumed"));
}

TEST(Pausing, buffer_starts_nothing_in_the_pause) {
  for (const OverlapPolicy policy :
       {OverlapPolicy::skip, OverlapPolicy::buffer_one, OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all,
        OverlapPolicy::cancel_other, OverlapPolicy::terminate_other, OverlapPolicy::allow_all}) {
    Tower tower = idle_tower(keeping().overlap(policy));
    ASSERT_TRUE(tower.happens(pause()));

    tower.sleep_until("09:30");
    ASSERT_TRUE(tower.edit(keeping().overlap(policy).jitter(1min)));

    EXPECT_EQ(tower.started_count(), 0U) << to_text(policy);
  }
}

TEST(Pausing, ends_by_itself_at_its_time) {
  Tower tower = idle_tower(five_minutely());

  ASSERT_TRUE(tower.happens(pause_until("09:12")));
  EXPECT_EQ(tower.state().wake, moment("09:12"));
  tower.until("09:16");

  EXPECT_THAT(tower.new_lines(),
              ElementsAre("paused", "09:05 … 09:10 (2) skipped(paused)", "resumed", "09:15 started"));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().paused_until, std::nullopt);
}

TEST(Pausing, ends_at_its_time_even_if_nobody_looked_until_later) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause_until("09:12")));

  tower.sleep_until("09:27");

  EXPECT_THAT(tower.new_lines(),
              ElementsAre("paused", "09:05 … 09:10 (2) skipped(paused)", "09:15 … 09:20 (2) skipped(superseded)",
                          "09:25 catchup started", "resumed"));
}

TEST(Pausing, an_occurrence_at_the_very_end_of_a_pause_is_no_longer_part_of_it) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause_until("09:10")));

  tower.until("09:10");

  EXPECT_THAT(tower.new_lines(), ElementsAre("paused", "09:05 skipped(paused)", "09:10 started", "resumed"));
}

TEST(Pausing, can_be_ended_by_hand_before_its_time) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause_until("10:00")));
  tower.until("09:11");

  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("paused", "09:05 … 09:10 (2) skipped(paused)", "resumed"));
  EXPECT_EQ(tower.state().wake, moment("09:15"));
}

TEST(Pausing, ended_by_hand_after_its_time_it_was_over_at_its_time) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause_until("09:12")));
  tower.set_clock(moment("09:15:30"));

  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.new_lines(),
              ElementsAre("paused", "09:05 … 09:10 (2) skipped(paused)", "09:15 started", "resumed"));
}

TEST(Pausing, can_begin_again_when_its_time_is_over_and_nobody_has_looked) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause_until("09:12")));
  tower.set_clock(moment("09:13"));

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("paused", "09:05 … 09:10 (2) skipped(paused)", "resumed", "paused"));
  EXPECT_EQ(tower.state().paused_at, moment("09:13"));
  EXPECT_EQ(tower.state().paused_until, std::nullopt);
}

TEST(Pausing, is_refused_in_any_other_state) {
  Tower paused = idle_tower(five_minutely());
  ASSERT_TRUE(paused.happens(pause()));
  Tower disabled = idle_tower(five_minutely().disabled());
  Tower done = idle_tower(a_schedule().once(moment("08:00")));

  EXPECT_EQ(paused.happens(pause()).error().message, "Cannot pause schedule with status 'paused'");
  EXPECT_EQ(disabled.happens(pause()).error().message, "Cannot pause schedule with status 'disabled'");
  EXPECT_EQ(done.happens(pause()).error().message, "Cannot pause schedule with status 'done'");
  EXPECT_EQ(paused.happens(pause()).error().code, ErrorCode::invalid_argument);
}

TEST(Pausing, again_replaces_its_reason_and_its_end_and_goes_on_from_its_begin) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause()));
  const auto since = tower.state().paused_at;
  tower.set_clock(moment("09:13"));

  ASSERT_TRUE(tower.happens(Paused{.by = "ben", .reason = "API quota", .until = moment("10:00")}));

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().paused_at, since);
  EXPECT_EQ(tower.state().paused_until, moment("10:00"));
}

TEST(Pausing, ending_it_is_refused_in_any_other_state) {
  Tower active = idle_tower(five_minutely());
  Tower disabled = idle_tower(five_minutely().disabled());
  Tower done = idle_tower(a_schedule().once(moment("08:00")));

  EXPECT_EQ(active.happens(resume()).error().message, "Cannot resume schedule with status 'active'");
  EXPECT_EQ(disabled.happens(resume()).error().message, "Cannot resume schedule with status 'disabled'");
  EXPECT_EQ(done.happens(resume()).error().message, "Cannot resume schedule with status 'done'");
}

TEST(Pausing, must_end_in_the_future) {
  Tower tower = idle_tower(five_minutely());

  EXPECT_FALSE(tower.happens(pause_until("09:01")));
  EXPECT_FALSE(tower.happens(pause_until("08:00")));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().version, 1);
}

TEST(Pausing, what_is_due_in_that_very_moment_does_not_start) {
  Tower skipping = idle_tower(five_minutely());
  Tower buffering = idle_tower(keeping());
  for (Tower* tower : {&skipping, &buffering}) {
    tower->set_clock(moment("09:05"));
    ASSERT_TRUE(tower->happens(pause()));
  }

  EXPECT_THAT(skipping.new_lines(), ElementsAre("09:05 skipped(paused)", "paused"));
  EXPECT_THAT(buffering.new_lines(), ElementsAre("09:05 waiting", "paused"));
}

TEST(Pausing, what_was_missed_before_it_is_decided_as_missed) {
  Tower tower = idle_tower(five_minutely().catchup(CatchupPolicy::none));
  tower.set_clock(moment("09:12"));

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 … 09:10 (2) skipped(missed)", "paused"));
}

TEST(Pausing, asks_nobody_to_stop_for_a_start_that_it_holds) {
  Tower tower = tower_with_run_since_nine(keeping().overlap(OverlapPolicy::cancel_other));
  tower.set_clock(moment("09:05"));

  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::none);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);
}

TEST(Pausing, counts_by_the_due_time_where_there_is_jitter) {
  const auto jittery = [] { return a_schedule().every(1h).jitter(50min); };
  const Instant due = jittery().definition().due(moment("09:00"));
  ASSERT_GT(due, moment("09:04")) << "this name draws too little jitter for the test";
  ASSERT_LT(due, moment("09:48")) << "this name draws too much jitter for the test";
  Tower over_before{jittery(), "08:58"};
  Tower due_inside{jittery(), "08:58"};
  Tower begun_late{jittery(), "08:58"};

  over_before.until("08:59");
  ASSERT_TRUE(over_before.happens(pause()));
  over_before.until(due - 1s);
  ASSERT_TRUE(over_before.happens(resume()));
  over_before.until(due);
  due_inside.until("09:01");
  ASSERT_TRUE(due_inside.happens(pause()));
  due_inside.until(due + 1s);
  ASSERT_TRUE(due_inside.happens(resume()));
  begun_late.until("09:01");
  ASSERT_TRUE(begun_late.happens(pause()));
  begun_late.until("09:02");
  ASSERT_TRUE(begun_late.happens(resume()));
  begun_late.until(due);

  EXPECT_THAT(over_before.ledger(), ElementsAre("created", "paused", "resumed", "09:00 started"));
  EXPECT_THAT(due_inside.ledger(), ElementsAre("created", "paused", "09:00 skipped(paused)", "resumed"));
  EXPECT_THAT(begun_late.ledger(), ElementsAre("created", "paused", "resumed", "09:00 started"));
}

TEST(Pausing, twice_in_a_row_loses_nothing_and_counts_nothing_twice) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:06");
  ASSERT_TRUE(tower.happens(resume()));
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:11");

  ASSERT_TRUE(tower.happens(resume()));
  tower.until("09:15");

  EXPECT_THAT(tower.new_lines(), ElementsAre("paused", "09:05 skipped(paused)", "resumed", "paused",
                                             "09:10 skipped(paused)", "resumed", "09:15 started"));
}

TEST(Pausing, is_kept_while_disabled) {
  Tower tower = idle_tower(five_minutely());
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:06");
  ASSERT_TRUE(tower.happens(disable()));
  EXPECT_EQ(tower.state().status, ScheduleStatus::disabled);
  tower.until("09:11");

  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().paused_at, moment("09:01"));
  EXPECT_THAT(tower.new_lines(), ElementsAre("paused", "09:05 skipped(paused)", "disabled", "enabled"));
}

}  // namespace
}  // namespace carillon::testing
