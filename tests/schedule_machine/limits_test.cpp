#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScheduleBuilder repeating(std::int64_t count) {
  return a_schedule().every(5min).with([=](Policies& p) { p.total_repeats = count; });
}
ScheduleBuilder dying_after(std::int64_t count) {
  return a_schedule().every(5min).with([=](Policies& p) { p.consecutive_failures_max = count; });
}
ScheduleBuilder pausing_on_failure() {
  return a_schedule().every(5min).with([](Policies& p) { p.pause_on_failure = true; });
}

void run_at(Tower& tower, std::string_view nominal, RunState how) {
  tower.until(nominal);
  tower.finish(nominal, how);
}

TEST(Limits, total_repeats_ends_the_schedule_with_its_last_success) {
  Tower tower{repeating(2), "08:58"};

  run_at(tower, "09:00", RunState::succeeded);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:05", RunState::succeeded);

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_EQ(tower.state().counts.repeats, 2);
}

TEST(Limits, total_repeats_counts_successes_only) {
  Tower tower{repeating(1), "08:58"};

  run_at(tower, "09:00", RunState::failed);
  run_at(tower, "09:05", RunState::cancelled);
  run_at(tower, "09:10", RunState::lost);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:15", RunState::succeeded);

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(Limits, runs_in_flight_may_be_the_last_ones) {
  Tower tower{repeating(2).overlap(OverlapPolicy::allow_all), "08:58"};

  tower.until("09:10");
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started", "09:10 skipped(exhausted)"));
  tower.finish("09:00", RunState::failed);
  tower.until("09:15");

  EXPECT_EQ(tower.row("09:15").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, a_waiting_start_that_has_become_one_too_many_is_given_up) {
  Tower tower{repeating(2).overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:11");

  tower.finish("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started", "09:10 skipped(exhausted)"));
}

TEST(Limits, no_more_start_at_once_than_repeats_are_left) {
  Tower tower{repeating(3).overlap(OverlapPolicy::allow_all).catchup(CatchupPolicy::all), "08:58"};

  tower.sleep_until("09:22");

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 catchup started", "09:05 catchup started", "09:10 catchup started",
                          "09:15 catchup skipped(exhausted)", "09:20 catchup skipped(exhausted)"));
}

TEST(Limits, starts_by_hand_and_backfills_use_up_no_repeats) {
  Tower tower{repeating(1), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.look();
  ASSERT_EQ(tower.started_count(), 2U);

  tower.end_run(1, RunState::succeeded);
  tower.end_run(2, RunState::succeeded);
  tower.until("09:00");

  EXPECT_EQ(tower.state().counts.successes, 2);
  EXPECT_EQ(tower.state().counts.repeats, 0);
  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(Limits, starts_by_hand_and_backfills_work_when_the_repeats_are_used_up) {
  Tower tower{repeating(1), "08:58"};
  run_at(tower, "09:00", RunState::succeeded);
  ASSERT_EQ(tower.state().status, ScheduleStatus::done);

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::skip)));
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.look();

  EXPECT_EQ(tower.started_count(), 3U);
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(Limits, failures_in_a_row_make_it_dead) {
  Tower tower{dying_after(2), "08:58"};

  run_at(tower, "09:00", RunState::failed);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:05", RunState::timed_out);

  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  tower.sleep_until("10:00");
  EXPECT_EQ(tower.started_count(), 2U);
}

TEST(Limits, a_success_between_failures_starts_the_count_again) {
  Tower tower{dying_after(2), "08:58"};

  run_at(tower, "09:00", RunState::failed);
  run_at(tower, "09:05", RunState::succeeded);
  run_at(tower, "09:10", RunState::lost);

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().counts.consecutive_failures, 1);
}

TEST(Limits, what_was_cancelled_or_expired_is_no_failure) {
  Tower tower{dying_after(1), "08:58"};

  run_at(tower, "09:00", RunState::cancelled);
  run_at(tower, "09:05", RunState::expired);

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, a_failure_by_hand_does_not_kill) {
  Tower tower{dying_after(1), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));

  tower.end_run(1, RunState::failed);
  tower.until("09:00");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().counts.errors, 1);
  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(Limits, death_gives_up_what_waits) {
  Tower tower{dying_after(1).overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:05");
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_all)));

  tower.finish("09:00", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
  EXPECT_EQ(tower.rows()[1].reason, SkipReason::exhausted);
  EXPECT_EQ(tower.rows()[2].outcome, DecisionOutcome::started);
}

TEST(Limits, pause_on_failure_pauses_when_a_run_has_used_up_its_attempts) {
  Tower tower{pausing_on_failure(), "08:58"};

  run_at(tower, "09:00", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.changes().back().kind, ChangeKind::paused);
  EXPECT_EQ(tower.changes().back().by, "carillon");
  EXPECT_EQ(tower.changes().back().reason, "a run has failed");
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Limits, pause_on_failure_decides_what_came_due_before_anybody_saw_the_failure) {
  for (const PauseMissed missed : {PauseMissed::skip, PauseMissed::buffer}) {
    Tower tower{pausing_on_failure().with([&](Policies& p) {
                  p.pause.missed = missed;
                  p.overlap = OverlapPolicy::buffer_all;
                  p.catchup.policy = CatchupPolicy::all;
                }),
                "08:58"};
    tower.until("09:00");
    tower.row("09:00").run.state = RunState::failed;

    tower.sleep_until("09:16");

    EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
    ASSERT_EQ(tower.rows().size(), 4U);
    for (std::size_t i = 1; i < 4; ++i) {
      const bool is_kept = missed == PauseMissed::buffer;
      EXPECT_EQ(tower.rows()[i].outcome, is_kept ? DecisionOutcome::waiting : DecisionOutcome::skipped);
      EXPECT_EQ(tower.rows()[i].reason, is_kept ? std::nullopt : std::optional{SkipReason::paused});
    }
  }
}

TEST(Limits, pause_on_failure_ignores_what_was_cancelled) {
  Tower tower{pausing_on_failure(), "08:58"};

  run_at(tower, "09:00", RunState::cancelled);

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, pause_on_failure_pauses_at_once_when_a_start_by_hand_fails) {
  Tower triggered{pausing_on_failure(), "08:58"};
  ASSERT_TRUE(triggered.happens(trigger("t1")));
  Tower filled{pausing_on_failure(), "08:58"};
  ASSERT_TRUE(filled.happens(request(backfill_of("08:00", "08:05"))));
  filled.look();

  for (Tower* tower : {&triggered, &filled}) {
    EXPECT_TRUE(tower->state().listens);
    tower->set_clock(moment("08:59"));
    tower->end_run(1, RunState::failed);
    tower->look();

    EXPECT_EQ(tower->state().status, ScheduleStatus::paused);
    EXPECT_EQ(tower->state().paused_at, moment("08:59"));
    EXPECT_EQ(tower->changes().back().reason, "a run has failed");
  }
}

TEST(Limits, a_run_that_waits_for_its_next_attempt_has_not_failed_yet) {
  Tower tower{pausing_on_failure(), "08:58"};
  tower.until("09:00");
  tower.row("09:00").run.state = RunState::retrying;

  tower.until("09:06");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, a_failure_while_paused_does_not_pause_again_when_the_user_resumes) {
  Tower tower{pausing_on_failure(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  tower.set_clock(moment("09:02"));
  tower.finish("09:00", RunState::failed);
  tower.set_clock(moment("09:03"));

  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().counts.errors, 1);
}

TEST(Limits, resuming_after_a_failure_holds_until_the_next_one) {
  Tower tower{pausing_on_failure(), "08:58"};
  run_at(tower, "09:00", RunState::failed);

  ASSERT_TRUE(tower.happens(resume()));
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:05", RunState::succeeded);
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:10", RunState::timed_out);
  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
}

TEST(Limits, a_start_carries_its_deadline) {
  Tower tower{a_schedule().every(5min).with([](Policies& p) { p.start_deadline = 90s; }), "08:58"};
  Tower without{a_schedule().every(5min), "08:58"};

  tower.sleep_until("09:00:10");
  without.until("09:00");

  EXPECT_EQ(tower.row("09:00").run.expires_at, moment("09:01:40"));
  EXPECT_EQ(without.row("09:00").run.expires_at, std::nullopt);
}

TEST(Limits, a_start_that_waited_counts_its_deadline_from_its_release) {
  Tower tower{
      a_schedule().every(5min).overlap(OverlapPolicy::buffer_one).with([](Policies& p) { p.start_deadline = 90s; }),
      "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:08");

  tower.finish("09:00");

  EXPECT_EQ(tower.row("09:05").run.expires_at, moment("09:09:30"));
}

TEST(Limits, an_expired_run_frees_the_slot) {
  Tower tower{a_schedule().every(5min).with([](Policies& p) { p.start_deadline = 90s; }), "08:58"};
  tower.until("09:00");
  tower.set_clock(moment("09:02"));
  tower.row("09:00").run = expire(tower.row("09:00").run, tower.now()).value();

  tower.until("09:05");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started"));
}

TEST(Limits, it_is_done_when_its_last_occurrence_has_run) {
  Tower tower{a_schedule().once(moment("09:00")), "08:58"};

  tower.until("09:00");
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_TRUE(tower.state().listens);
  tower.finish("09:00", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(Limits, it_is_not_done_while_an_occurrence_of_its_own_waits) {
  Tower tower{a_schedule().every(5min).until(moment("09:05")).overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:10");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  tower.finish("09:00");
  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  tower.finish("09:05");
  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
}

TEST(Limits, without_a_spec_it_is_never_done) {
  Tower tower{a_schedule().by_hand(), "08:58"};

  ASSERT_TRUE(tower.happens(trigger("t1")));
  tower.end_run(1, RunState::succeeded);
  tower.sleep_until("10:00");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Limits, reset_brings_it_back_from_now_on) {
  Tower done{repeating(1), "08:58"};
  Tower dead{dying_after(1), "08:58"};
  run_at(done, "09:00", RunState::succeeded);
  run_at(dead, "09:00", RunState::failed);
  for (Tower* tower : {&done, &dead}) {
    tower->until("09:22");
    (void)tower->new_lines();

    ASSERT_TRUE(tower->happens(reset()));
    EXPECT_EQ(tower->state().status, ScheduleStatus::active);
    tower->until("09:25");

    EXPECT_THAT(tower->new_lines(), ElementsAre("reset", "09:25 started"));
  }
}

TEST(Limits, reset_forgets_repeats_and_failures_but_no_other_count) {
  Tower tower{dying_after(3), "08:58"};
  run_at(tower, "09:00", RunState::succeeded);
  run_at(tower, "09:05", RunState::failed);

  ASSERT_TRUE(tower.happens(reset()));

  EXPECT_EQ(tower.state().counts.repeats, 0);
  EXPECT_EQ(tower.state().counts.consecutive_failures, 0);
  EXPECT_EQ(tower.state().counts.successes, 1);
  EXPECT_EQ(tower.state().counts.errors, 1);
  EXPECT_EQ(tower.state().counts.runs, 2);
}

TEST(Limits, neither_done_nor_dead_is_left_by_resuming) {
  Tower dead{dying_after(1), "08:58"};
  run_at(dead, "09:00", RunState::failed);

  EXPECT_EQ(dead.happens(resume()).error().message, "Cannot resume schedule with status 'dead'");
}

TEST(Limits, disabling_and_enabling_does_not_raise_the_dead) {
  Tower tower{dying_after(1), "08:58"};
  run_at(tower, "09:00", RunState::failed);
  ASSERT_TRUE(tower.happens(disable()));

  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
  tower.sleep_until("10:00");
  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(Limits, an_edit_while_it_is_disabled_raises_the_dead) {
  Tower tower{dying_after(1), "08:58"};
  run_at(tower, "09:00", RunState::failed);
  ASSERT_TRUE(tower.happens(disable()));

  ASSERT_TRUE(tower.edit(dying_after(1).disabled()));
  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:05", RunState::failed);
  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
}

TEST(Limits, an_edit_that_disables_it_raises_the_dead) {
  Tower tower{dying_after(1), "08:58"};
  run_at(tower, "09:00", RunState::failed);
  ASSERT_EQ(tower.state().status, ScheduleStatus::dead);

  ASSERT_TRUE(tower.edit(dying_after(1).disabled()));
  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  run_at(tower, "09:05", RunState::failed);
  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
}

TEST(Limits, an_edit_that_disables_it_and_allows_fewer_failures_kills_nobody) {
  Tower tower{dying_after(3), "08:58"};
  run_at(tower, "09:00", RunState::failed);

  ASSERT_TRUE(tower.edit(dying_after(1).disabled()));
  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, an_edit_that_disables_it_goes_on_counting_failures) {
  Tower tower{dying_after(2), "08:58"};
  run_at(tower, "09:00", RunState::failed);

  ASSERT_TRUE(tower.edit(dying_after(2).disabled()));
  ASSERT_TRUE(tower.happens(enable()));
  run_at(tower, "09:05", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
}

TEST(Limits, an_edit_that_allows_fewer_failures_while_it_is_disabled_kills_nobody) {
  Tower tower{dying_after(3), "08:58"};
  run_at(tower, "09:00", RunState::failed);
  ASSERT_TRUE(tower.happens(disable()));

  ASSERT_TRUE(tower.edit(dying_after(1).disabled()));
  ASSERT_TRUE(tower.happens(enable()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
}

TEST(Limits, an_edit_while_it_is_disabled_goes_on_counting_failures) {
  Tower tower{dying_after(2), "08:58"};
  run_at(tower, "09:00", RunState::failed);
  ASSERT_TRUE(tower.happens(disable()));

  ASSERT_TRUE(tower.edit(dying_after(2).disabled()));
  ASSERT_TRUE(tower.happens(enable()));
  run_at(tower, "09:05", RunState::failed);

  EXPECT_EQ(tower.state().status, ScheduleStatus::dead);
}

TEST(Limits, without_limits_the_end_of_a_run_wakes_nobody) {
  Tower tower{a_schedule().every(5min), "08:58"};

  tower.until("09:00");

  EXPECT_FALSE(tower.state().listens);
  EXPECT_THAT(tower.view().live, ::testing::SizeIs(1));
}

}  // namespace
}  // namespace carillon::testing
