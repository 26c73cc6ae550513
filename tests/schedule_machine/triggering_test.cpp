#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr OverlapPolicy every_policy[] = {OverlapPolicy::skip,          OverlapPolicy::buffer_one,
                                          OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all,
                                          OverlapPolicy::cancel_other,  OverlapPolicy::terminate_other,
                                          OverlapPolicy::allow_all};

Tower tower_with_run_since_nine(OverlapPolicy policy = OverlapPolicy::skip) {
  Tower tower{a_schedule().every(5min).overlap(policy), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:01");
  (void)tower.new_lines();
  return tower;
}

TEST(Triggering, starts_at_once_when_nothing_runs_whatever_its_policy) {
  for (const OverlapPolicy policy : every_policy) {
    Tower tower{a_schedule().every(5min), "08:58"};

    ASSERT_TRUE(tower.happens(trigger("t1", policy)));

    EXPECT_THAT(tower.ledger(), ElementsAre("created", "08:58 trigger started")) << to_text(policy);
    EXPECT_EQ(tower.state().wake, moment("09:00"));
  }
}

TEST(Triggering, beside_a_run_does_what_its_own_policy_says) {
  const auto outcome = [](OverlapPolicy policy) {
    Tower tower = tower_with_run_since_nine();
    EXPECT_TRUE(tower.happens(trigger("t1", policy)));
    return tower.new_lines();
  };

  EXPECT_THAT(outcome(OverlapPolicy::skip), ElementsAre("09:01 trigger skipped(overlap)"));
  EXPECT_THAT(outcome(OverlapPolicy::buffer_one), ElementsAre("09:01 trigger waiting"));
  EXPECT_THAT(outcome(OverlapPolicy::buffer_latest), ElementsAre("09:01 trigger waiting"));
  EXPECT_THAT(outcome(OverlapPolicy::buffer_all), ElementsAre("09:01 trigger waiting"));
  EXPECT_THAT(outcome(OverlapPolicy::cancel_other), ElementsAre("09:01 trigger waiting"));
  EXPECT_THAT(outcome(OverlapPolicy::terminate_other), ElementsAre("09:01 trigger waiting"));
  EXPECT_THAT(outcome(OverlapPolicy::allow_all), ElementsAre("09:01 trigger started"));
}

TEST(Triggering, that_waits_starts_when_the_run_has_ended) {
  for (const OverlapPolicy policy : {OverlapPolicy::buffer_one, OverlapPolicy::buffer_latest, OverlapPolicy::buffer_all,
                                     OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower = tower_with_run_since_nine();
    ASSERT_TRUE(tower.happens(trigger("t1", policy)));

    tower.finish("09:00");

    EXPECT_THAT(tower.new_lines(), ElementsAre("09:01 trigger started")) << to_text(policy);
  }
}

TEST(Triggering, asks_the_running_one_to_stop_if_its_policy_says_so) {
  Tower cancelling = tower_with_run_since_nine();
  Tower terminating = tower_with_run_since_nine();

  ASSERT_TRUE(cancelling.happens(trigger("t1", OverlapPolicy::cancel_other)));
  ASSERT_TRUE(terminating.happens(trigger("t1", OverlapPolicy::terminate_other)));

  EXPECT_EQ(cancelling.row("09:00").run.stop, Stop::cancel);
  EXPECT_EQ(terminating.row("09:00").run.stop, Stop::terminate);
}

TEST(Triggering, terminating_follows_where_cancelling_was_not_heard) {
  Tower tower = tower_with_run_since_nine();
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::cancel_other)));

  ASSERT_TRUE(tower.happens(trigger("t2", OverlapPolicy::terminate_other)));

  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
  EXPECT_THAT(tower.new_lines(), ElementsAre("09:01 trigger skipped(superseded)", "09:01 trigger waiting"));
}

TEST(Triggering, works_in_every_status) {
  Tower paused{a_schedule().every(5min), "08:58"};
  Tower buffering{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  Tower disabled{a_schedule().every(5min).disabled(), "08:58"};
  Tower done{a_schedule().once(moment("08:00")), "08:58"};
  Tower dead{a_schedule().every(5min).with([](Policies& p) { p.consecutive_failures_max = 1; }), "08:53"};
  Tower by_hand{a_schedule().by_hand(), "08:58"};
  ASSERT_TRUE(paused.happens(pause()));
  ASSERT_TRUE(buffering.happens(pause()));
  dead.until("08:55");
  dead.finish("08:55", RunState::failed);

  for (Tower* tower : {&paused, &buffering, &disabled, &done, &dead, &by_hand}) {
    const ScheduleStatus status = tower->state().status;
    ASSERT_TRUE(tower->happens(trigger("t1", OverlapPolicy::skip)));

    EXPECT_EQ(tower->rows().back().outcome, DecisionOutcome::started) << to_text(status);
    EXPECT_EQ(tower->state().status, status);
  }
}

TEST(Triggering, that_waits_is_released_in_every_status) {
  Tower paused = tower_with_run_since_nine();
  Tower disabled = tower_with_run_since_nine();
  ASSERT_TRUE(paused.happens(pause()));
  ASSERT_TRUE(disabled.happens(disable()));

  for (Tower* tower : {&paused, &disabled}) {
    ASSERT_TRUE(tower->happens(trigger("t1", OverlapPolicy::buffer_all)));
    ASSERT_EQ(tower->rows().back().outcome, DecisionOutcome::waiting);
    tower->finish("09:00");

    EXPECT_EQ(tower->rows().back().outcome, DecisionOutcome::started);
  }
}

TEST(Triggering, may_bring_its_own_nominal_time_and_payload) {
  Tower tower{a_schedule().every(5min), "08:58"};

  const auto decided =
      step(tower.definition(), tower.view(),
           Triggered{.by = "anna", .id = "t1", .nominal = moment("07:00"), .payload = "[1]"}, tower.now());

  ASSERT_TRUE(decided);
  ASSERT_EQ(decided->decisions.size(), 1U);
  EXPECT_EQ(decided->decisions[0].nominal, moment("07:00"));
  EXPECT_EQ(decided->decisions[0].due, moment("08:58"));
  EXPECT_EQ(decided->decisions[0].payload, "[1]");
  EXPECT_EQ(decided->decisions[0].trigger, "t1");
}

TEST(Triggering, with_a_nominal_time_ahead_does_not_decide_that_occurrence) {
  Tower tower{a_schedule().every(5min), "08:58"};

  ASSERT_TRUE(tower.happens(Triggered{.by = "anna", .id = "t1", .nominal = moment("09:00")}));
  tower.until("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 trigger started", "09:00 started"));
}

TEST(Triggering, twice_in_one_moment_makes_two_runs) {
  Tower tower{a_schedule().every(5min), "08:58"};

  ASSERT_TRUE(tower.happens(trigger("t1")));
  ASSERT_TRUE(tower.happens(trigger("t2")));

  EXPECT_EQ(tower.started_count(), 2U);
  EXPECT_THAT(tower.triggers(), ElementsAre("t1", "t2"));
}

TEST(Triggering, with_allow_all_does_not_hold_the_slot) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(Triggering, with_any_other_policy_holds_the_slot) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::skip)));

  tower.until("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "08:58 trigger started", "09:00 skipped(overlap)"));
}

TEST(Triggering, decides_first_what_is_due_and_finds_it_running) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.set_clock(moment("09:00:10"));

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_one)));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:00:10 trigger waiting"));
}

TEST(Triggering, that_replaces_others_takes_the_place_of_what_comes_due_in_the_same_moment) {
  for (const OverlapPolicy policy : {OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
    tower.set_clock(moment("09:00"));

    ASSERT_TRUE(tower.happens(trigger("t1", policy)));

    EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 skipped(superseded)", "09:00 trigger started"));
  }
}

TEST(Triggering, moves_no_automatic_decision) {
  Tower tower{a_schedule().every(5min), "08:58"};
  const Instant cursor = tower.state().cursor;

  ASSERT_TRUE(tower.happens(trigger("t1")));

  EXPECT_EQ(tower.state().cursor, cursor);
  EXPECT_EQ(tower.state().revision, 1);
  EXPECT_EQ(tower.state().wake, moment("09:00"));
}

TEST(Triggering, in_a_pause_that_keeps_what_it_misses_goes_before_what_is_kept) {
  Tower tower{a_schedule().every(5min).missed(PauseMissed::buffer), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_EQ(tower.row("09:00").outcome, DecisionOutcome::waiting);

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_one)));

  EXPECT_EQ(tower.rows().back().outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.rows().front().outcome, DecisionOutcome::waiting);
}

TEST(Triggering, a_waiting_one_is_not_pushed_aside_by_an_occurrence_that_a_pause_holds) {
  for (const OverlapPolicy policy :
       {OverlapPolicy::buffer_latest, OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower{a_schedule().every(5min).overlap(policy).missed(PauseMissed::buffer), "08:58"};
    tower.until("09:00");
    tower.launch("09:00");
    ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_one)));
    tower.set_clock(moment("09:05"));

    ASSERT_TRUE(tower.happens(pause()));

    EXPECT_EQ(tower.rows()[1].outcome, DecisionOutcome::waiting) << to_text(policy);
  }
}

}  // namespace
}  // namespace carillon::testing
