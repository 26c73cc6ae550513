#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

// One test for each rule of Temporal's schedules that is kept here, and for each that is kept better.

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScheduleBuilder every_five(OverlapPolicy policy) { return a_schedule().every(5min).overlap(policy); }

Tower tower_with_run_since_nine(ScheduleBuilder builder) {
  Tower tower{std::move(builder), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:01");
  (void)tower.new_lines();
  return tower;
}

// Overlap policies.

TEST(TemporalRows, without_a_policy_overlaps_are_skipped) {
  Tower tower = tower_with_run_since_nine(a_schedule().every(5min));

  tower.until("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(overlap)"));
}

TEST(TemporalRows, allow_all_starts_now_beside_the_others) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::allow_all));

  tower.until("09:10");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started", "09:10 started"));
}

TEST(TemporalRows, a_free_slot_is_taken_whatever_the_policy) {
  for (const OverlapPolicy policy :
       {OverlapPolicy::skip, OverlapPolicy::buffer_one, OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all,
        OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower{every_five(policy), "08:58"};

    tower.until("09:00");

    EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started")) << to_text(policy);
  }
}

TEST(TemporalRows, of_several_found_together_only_one_takes_the_slot) {
  Tower tower{every_five(OverlapPolicy::skip).catchup(CatchupPolicy::all), "08:58"};

  tower.sleep_until("09:12");

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(TemporalRows, a_skipped_overlap_is_counted) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::skip));

  tower.until("09:10");

  EXPECT_EQ(tower.state().counts.skipped[static_cast<std::size_t>(SkipReason::overlap)], 2);
}

TEST(TemporalRows, buffer_one_keeps_the_first_overlapping_time_and_drops_later_ones) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::buffer_one));

  tower.until("09:10");
  tower.finish("09:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started", "09:10 skipped(overlap)"));
}

TEST(TemporalRows, buffer_one_counts_a_waiting_start_by_hand_as_the_one) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::buffer_one));
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_all)));

  tower.until("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:01 trigger waiting", "09:05 skipped(overlap)"));
}

TEST(TemporalRows, buffer_all_keeps_every_one_in_order) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::buffer_all));
  tower.until("09:15");

  tower.finish("09:00");
  tower.finish("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started", "09:10 started", "09:15 waiting"));
}

TEST(TemporalRows, cancel_other_waits_until_the_old_run_has_really_ended) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::cancel_other));

  tower.until("09:09");
  EXPECT_EQ(tower.row("09:00").run.stop, Stop::cancel);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);
  tower.finish("09:00", RunState::cancelled);

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(TemporalRows, terminate_other_waits_for_the_end_too) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::terminate_other));

  tower.until("09:09");

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);
}

TEST(TemporalRows, the_one_that_cancel_other_replaces_before_it_began_does_not_vanish) {
  Tower tower{every_five(OverlapPolicy::cancel_other).catchup(CatchupPolicy::all), "08:58"};

  tower.sleep_until("09:07");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup skipped(superseded)", "09:05 catchup started"));
}

TEST(TemporalRows, cancelling_one_does_not_discard_those_that_run_beside_it) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::allow_all));
  tower.set_clock(moment("09:05"));

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::cancel_other)));

  EXPECT_EQ(tower.rows().size(), 3U);
  EXPECT_TRUE(std::ranges::all_of(tower.rows(), [](const Tower::Row& row) {
    return row.outcome != DecisionOutcome::skipped || row.reason.has_value();
  }));
}

TEST(TemporalRows, stopping_concerns_every_run_that_holds_the_slot) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::allow_all));
  tower.until("09:05");
  tower.launch("09:05");

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::terminate_other)));

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
  EXPECT_EQ(tower.rows()[1].run.stop, Stop::terminate);
}

TEST(TemporalRows, terminate_beats_cancel) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::cancel_other));
  tower.until("09:05");

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::terminate_other)));

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
}

TEST(TemporalRows, a_waiting_start_that_has_become_too_late_is_missed) {
  Tower tower = tower_with_run_since_nine(
      every_five(OverlapPolicy::buffer_one).with([](Policies& p) { p.catchup.window = 2min; }));
  tower.until("09:07:01");

  tower.finish("09:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(missed)"));
}

TEST(TemporalRows, a_waiting_start_by_hand_is_never_too_late) {
  Tower tower =
      tower_with_run_since_nine(every_five(OverlapPolicy::skip).with([](Policies& p) { p.catchup.window = 2min; }));
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_one)));
  tower.until("09:14");

  tower.finish("09:00");

  EXPECT_EQ(tower.rows()[1].outcome, DecisionOutcome::started);
}

TEST(TemporalRows, an_automatic_start_that_waits_is_dropped_with_a_reason_when_paused_or_exhausted) {
  Tower paused = tower_with_run_since_nine(every_five(OverlapPolicy::buffer_one));
  Tower exhausted =
      tower_with_run_since_nine(every_five(OverlapPolicy::buffer_all).with([](Policies& p) { p.total_repeats = 2; }));
  paused.until("09:06");
  exhausted.until("09:11");

  ASSERT_TRUE(paused.happens(pause()));
  exhausted.finish("09:00");

  EXPECT_THAT(paused.new_lines(), ElementsAre("09:05 skipped(paused)", "paused"));
  EXPECT_THAT(exhausted.new_lines(), ElementsAre("09:05 started", "09:10 skipped(exhausted)"));
}

TEST(TemporalRows, an_edit_of_the_policy_concerns_those_that_wait) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::buffer_all));
  tower.until("09:11");

  ASSERT_TRUE(tower.edit(every_five(OverlapPolicy::allow_all)));
  tower.until("09:11:01");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started", "09:10 started", "updated"));
}

TEST(TemporalRows, a_start_that_nobody_has_picked_up_counts_as_running) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};

  tower.until("09:05");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 skipped(overlap)"));
}

TEST(TemporalRows, a_start_by_hand_that_allows_all_does_not_block_a_schedule_that_skips) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(TemporalRows, runs_that_allow_all_are_tracked_to_their_end) {
  Tower tower{every_five(OverlapPolicy::allow_all).with([](Policies& p) { p.pause_on_failure = true; }), "08:58"};
  tower.until("09:05");

  tower.finish("09:00", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
}

// Where its documentation and its code differ.

TEST(TemporalRows, time_spent_paused_is_skipped_for_good_and_is_not_missed) {
  Tower tower{every_five(OverlapPolicy::buffer_all), "08:58"};
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:12");

  ASSERT_TRUE(tower.happens(resume()));
  tower.until("09:14");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "paused", "09:00 … 09:10 (3) skipped(paused)", "resumed"));
  EXPECT_EQ(tower.state().counts.skipped[static_cast<std::size_t>(SkipReason::missed)], 0);
}

TEST(TemporalRows, starts_by_hand_run_in_a_pause) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};
  ASSERT_TRUE(tower.happens(pause()));

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::skip)));

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(TemporalRows, without_a_window_nothing_is_ever_too_late) {
  Tower tower{every_five(OverlapPolicy::skip), "2027-01-01T00:01:00Z"};

  tower.sleep_until("2029-01-01T00:02:00Z");

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(TemporalRows, the_window_is_measured_from_the_due_time) {
  Tower tower{a_schedule().every(1h).jitter(50min).with([](Policies& p) { p.catchup.window = 3min; }), "08:58"};
  const Instant due = tower.definition().due(moment("09:00"));
  ASSERT_GT(due, moment("09:03:30")) << "this name draws too little jitter for the test";

  tower.sleep_until(due + 2min);

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 catchup started"));
}

// State and counters.

TEST(TemporalRows, every_occurrence_that_does_not_run_is_counted_with_a_reason) {
  Tower tower{every_five(OverlapPolicy::skip).catchup(CatchupPolicy::none), "08:58"};
  tower.until("09:05");
  tower.sleep_until("09:31:30");
  tower.finish("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:41");
  ASSERT_TRUE(tower.happens(resume()));

  std::int64_t skipped = 0;
  for (const std::int64_t count : tower.state().counts.skipped) skipped += count;
  EXPECT_EQ(skipped, 8) << "09:05 overlaps, 09:10 to 09:30 are missed, 09:35 and 09:40 are paused";
}

TEST(TemporalRows, a_start_by_hand_does_not_discard_what_is_due) {
  Tower tower{every_five(OverlapPolicy::allow_all), "08:58"};
  tower.set_clock(moment("09:00:20"));

  ASSERT_TRUE(tower.happens(trigger("t1")));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:00:20 trigger started"));
}

TEST(TemporalRows, an_edit_discards_nothing_that_is_due) {
  Tower tower{every_five(OverlapPolicy::allow_all), "08:58"};
  tower.set_clock(moment("09:00:20"));

  ASSERT_TRUE(tower.edit(every_five(OverlapPolicy::skip)));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "updated"));
}

TEST(TemporalRows, skipped_and_missed_occurrences_use_up_no_repeats) {
  Tower tower{
      every_five(OverlapPolicy::skip).catchup(CatchupPolicy::none).with([](Policies& p) { p.total_repeats = 1; }),
      "08:58"};

  tower.sleep_until("09:12");
  tower.until("09:15");

  EXPECT_EQ(tower.row("09:15").outcome, DecisionOutcome::started);
}

TEST(TemporalRows, a_finished_schedule_stays_and_says_so) {
  Tower tower{a_schedule().once(moment("09:00")), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");

  tower.sleep_until("2028-03-01T09:00:00Z");

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.state().deleted_at, std::nullopt);
}

// After a long outage.

std::vector<std::string> after_an_outage(OverlapPolicy policy, CatchupPolicy catchup) {
  Tower tower{every_five(policy).catchup(catchup).with([](Policies& p) { p.buffer_limit = 2; }), "08:58"};
  tower.sleep_until("09:17");
  auto lines = tower.ledger();
  lines.erase(lines.begin());
  return lines;
}

TEST(TemporalRows, after_an_outage_the_overlap_policy_decides_about_all_that_was_missed) {
  EXPECT_THAT(after_an_outage(OverlapPolicy::skip, CatchupPolicy::all),
              ElementsAre("09:00 catchup started", "09:05 catchup skipped(outage)", "09:10 catchup skipped(outage)",
                          "09:15 catchup skipped(outage)"));
  EXPECT_THAT(after_an_outage(OverlapPolicy::buffer_one, CatchupPolicy::all),
              ElementsAre("09:00 catchup started", "09:05 catchup waiting", "09:10 catchup skipped(outage)",
                          "09:15 catchup skipped(outage)"));
  EXPECT_THAT(
      after_an_outage(OverlapPolicy::allow_all, CatchupPolicy::all),
      ElementsAre("09:00 catchup started", "09:05 catchup started", "09:10 catchup started", "09:15 catchup started"));
  EXPECT_THAT(after_an_outage(OverlapPolicy::cancel_other, CatchupPolicy::all),
              ElementsAre("09:00 catchup skipped(superseded)", "09:05 catchup skipped(superseded)",
                          "09:10 catchup skipped(superseded)", "09:15 catchup started"));
}

TEST(TemporalRows, a_full_buffer_loses_the_newest) {
  EXPECT_THAT(after_an_outage(OverlapPolicy::buffer_all, CatchupPolicy::all),
              ElementsAre("09:00 catchup started", "09:05 catchup waiting", "09:10 catchup waiting",
                          "09:15 catchup skipped(buffer_full)"));
}

TEST(TemporalRows, after_an_outage_one_run_of_the_newest_is_enough_unless_told) {
  EXPECT_THAT(after_an_outage(OverlapPolicy::skip, CatchupPolicy::latest),
              ElementsAre("09:00 … 09:10 (3) skipped(superseded)", "09:15 catchup started"));
}

TEST(TemporalRows, a_clock_that_goes_back_is_treated_as_standing_still) {
  Tower tower{every_five(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:05");

  tower.set_clock(moment("09:04:58"));
  tower.look();
  tower.until("09:09");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started"));
}

// Starts by hand and backfills.

TEST(TemporalRows, a_start_by_hand_overrides_the_policy_for_itself_alone) {
  Tower tower = tower_with_run_since_nine(every_five(OverlapPolicy::skip));

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_all)));
  tower.until("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:01 trigger waiting", "09:05 skipped(overlap)"));
}

TEST(TemporalRows, two_starts_by_hand_in_one_second_do_not_collide) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};

  ASSERT_TRUE(tower.happens(trigger("t1")));
  ASSERT_TRUE(tower.happens(trigger("t2")));

  EXPECT_EQ(tower.started_count(), 2U);
  EXPECT_NE(tower.rows()[0].trigger, tower.rows()[1].trigger);
}

TEST(TemporalRows, a_backfill_may_reach_back_before_the_creation_and_uses_the_current_spec) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};
  ASSERT_TRUE(tower.edit(a_schedule().every(10min)));

  Backfill backfill = backfill_of("07:00", "07:20");
  backfill.concurrency = 10;
  ASSERT_TRUE(tower.happens(request(backfill)));
  tower.until("08:58");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "updated", "07:00 backfill started", "07:10 backfill started"));
}

TEST(TemporalRows, a_backfill_ignores_pauses_and_limits) {
  Tower tower{every_five(OverlapPolicy::skip).with([](Policies& p) { p.total_repeats = 1; }), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  Tower paused{every_five(OverlapPolicy::skip), "08:58"};
  ASSERT_TRUE(paused.happens(pause()));

  for (Tower* one : {&tower, &paused}) {
    ASSERT_TRUE(one->happens(request(backfill_of("08:00", "08:05"))));
    one->until(one->now());
    EXPECT_EQ(one->rows().back().outcome, DecisionOutcome::started);
  }
}

TEST(TemporalRows, a_backfill_never_drops_what_it_cannot_start_yet) {
  Tower tower{every_five(OverlapPolicy::skip), "08:58"};
  ASSERT_TRUE(tower.happens(request(backfill_of("06:00", "08:00"))));
  tower.until("08:58");

  for (int i = 0; i < 24; ++i) {
    tower.end_run(static_cast<std::int64_t>(tower.rows().size()), RunState::succeeded);
    tower.until("08:58");
  }

  EXPECT_EQ(tower.started_count(), 24U);
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

// Results and failures.

TEST(TemporalRows, a_success_hands_its_result_on_and_a_failure_keeps_the_old_one) {
  Tower tower{every_five(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  tower.until("09:05");
  tower.finish("09:05", RunState::failed);

  tower.until("09:10");

  EXPECT_EQ(tower.row("09:05").last_success, Seq{1});
  EXPECT_EQ(tower.row("09:10").last_success, Seq{1});
}

TEST(TemporalRows, pause_on_failure_does_not_count_what_was_cancelled_or_terminated) {
  Tower tower{every_five(OverlapPolicy::cancel_other).with([](Policies& p) { p.pause_on_failure = true; }), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:05");

  tower.finish("09:00", RunState::cancelled);

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

}  // namespace
}  // namespace carillon::testing
