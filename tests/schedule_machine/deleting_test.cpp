#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScheduleBuilder five_minutely() { return a_schedule().every(5min); }

// A schedule that is created again under the id of a deleted one.
Tower created_again(ScheduleBuilder builder, std::string_view now, const Tower& deleted) {
  return Tower{std::move(builder), moment(now), deleted.state()};
}

TEST(Deleting, leaves_a_tombstone_that_sleeps) {
  Tower tower{five_minutely(), "08:58"};

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.state().deleted_at, moment("08:58"));
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_FALSE(tower.state().listens);
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "deleted"));
}

TEST(Deleting, gives_up_what_waits_automatic_or_not) {
  Tower tower{five_minutely().overlap(OverlapPolicy::buffer_all), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:05");
  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::buffer_all)));

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.rows()[1].reason, SkipReason::deleted);
  EXPECT_EQ(tower.rows()[2].reason, SkipReason::deleted);
  EXPECT_EQ(tower.rows()[0].outcome, DecisionOutcome::started);
}

TEST(Deleting, takes_back_what_nobody_has_claimed) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  ASSERT_TRUE(tower.happens(trigger("t1")));

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 skipped(deleted)", "09:00 trigger skipped(deleted)", "deleted"));
}

TEST(Deleting, lets_what_runs_go_on_without_retries) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.rows()[0].run.state, RunState::running);
  EXPECT_EQ(tower.rows()[0].run.stop, Stop::none);
  EXPECT_FALSE(tower.rows()[0].run.may_retry);
}

TEST(Deleting, ends_what_waits_for_its_next_attempt) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  auto& run = tower.row("09:00").run;
  run = finish(run, 1, AttemptOutcome::timed_out, tower.definition().rules, tower.now(), 7).value();
  ASSERT_EQ(run.state, RunState::retrying);

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.rows()[0].run.state, RunState::timed_out);
}

TEST(Deleting, a_run_that_is_claimed_in_that_very_moment_runs_without_retries) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  const auto decided = step(tower.definition(), tower.view(), erase(), tower.now());

  tower.launch("09:00");
  tower.write(decided.value());

  EXPECT_EQ(tower.rows()[0].outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.rows()[0].run.state, RunState::running);
  EXPECT_FALSE(tower.rows()[0].run.may_retry);
}

TEST(Deleting, decides_first_what_is_due) {
  Tower active{five_minutely(), "08:58"};
  Tower paused{five_minutely(), "08:58"};
  Tower buffering{five_minutely().missed(PauseMissed::buffer), "08:58"};
  ASSERT_TRUE(paused.happens(pause()));
  ASSERT_TRUE(buffering.happens(pause()));
  for (Tower* tower : {&active, &paused, &buffering}) {
    tower->set_clock(moment("09:00"));
    ASSERT_TRUE(tower->happens(erase()));
  }

  EXPECT_THAT(active.ledger(), ElementsAre("created", "09:00 skipped(deleted)", "deleted"));
  EXPECT_THAT(paused.ledger(), ElementsAre("created", "paused", "09:00 skipped(paused)", "deleted"));
  EXPECT_THAT(buffering.ledger(), ElementsAre("created", "paused", "09:00 skipped(deleted)", "deleted"));
}

TEST(Deleting, ends_backfills) {
  Tower tower{five_minutely(), "08:58"};
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:30"))));
  tower.look();

  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::cancelled);
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "08:00 backfill skipped(deleted)", "deleted"));
}

TEST(Deleting, leaves_nothing_that_commands_could_change) {
  Tower tower{five_minutely(), "08:58"};
  ASSERT_TRUE(tower.happens(erase()));

  EXPECT_EQ(tower.happens(pause()).error().code, ErrorCode::not_found);
  EXPECT_EQ(tower.happens(trigger("t1")).error().code, ErrorCode::not_found);
  EXPECT_EQ(tower.happens(erase()).error().code, ErrorCode::not_found);
  EXPECT_EQ(tower.happens(request(backfill_of("08:00", "08:30"))).error().code, ErrorCode::not_found);
}

TEST(Deleting, the_last_runs_are_still_counted_and_may_be_cancelled) {
  Tower tower{five_minutely().overlap(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:05");
  tower.launch("09:05");
  ASSERT_TRUE(tower.happens(erase()));

  ASSERT_TRUE(tower.happens(cancel(tower.rows()[0])));
  EXPECT_EQ(tower.rows()[0].run.stop, Stop::cancel);
  tower.end_run(2, RunState::succeeded);
  tower.sleep_until("09:30");

  EXPECT_EQ(tower.state().counts.successes, 1);
  EXPECT_EQ(tower.rows().size(), 2U);
}

TEST(Deleting, created_again_soon_it_goes_on_where_it_was_left) {
  Tower deleted{five_minutely(), "08:58"};
  deleted.until("09:01");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely(), "09:06", deleted);
  EXPECT_EQ(tower.state().created_at, moment("08:58"));
  EXPECT_EQ(tower.state().cursor, moment("09:00"));
  EXPECT_EQ(tower.state().wake, moment("09:05"));
  tower.until("09:06");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:05 started"));
}

TEST(Deleting, created_again_in_that_very_moment_it_repeats_nothing) {
  Tower deleted{five_minutely(), "08:58"};
  deleted.until("09:00");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely(), "09:00", deleted);
  tower.look();

  EXPECT_THAT(tower.ledger(), ElementsAre("created"));
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Deleting, created_again_after_ten_minutes_it_begins_anew) {
  Tower deleted{five_minutely(), "08:58"};
  deleted.until("09:01");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower in_time = created_again(five_minutely(), "09:11", deleted);
  Tower too_late = created_again(five_minutely(), "09:11:01", deleted);

  EXPECT_EQ(in_time.state().cursor, moment("09:00"));
  EXPECT_EQ(too_late.state().cursor, moment("09:11:01"));
  EXPECT_EQ(too_late.state().created_at, moment("09:11:01"));
  EXPECT_EQ(too_late.state().wake, moment("09:15"));
}

TEST(Deleting, created_again_soon_it_is_still_paused) {
  Tower deleted{five_minutely(), "08:58"};
  ASSERT_TRUE(deleted.happens(pause_until("10:00")));
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely(), "09:06", deleted);

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().paused_until, moment("10:00"));
  EXPECT_EQ(tower.state().wake, moment("10:00"));
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "paused"));
  ASSERT_TRUE(tower.happens(resume()));
  EXPECT_THAT(tower.new_lines(), ElementsAre("created", "paused", "09:00 … 09:05 (2) skipped(paused)", "resumed"));
}

TEST(Deleting, created_again_after_its_pause_was_over_it_is_active) {
  Tower deleted{five_minutely(), "08:58"};
  ASSERT_TRUE(deleted.happens(pause_until("09:02")));
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely(), "09:06", deleted);
  tower.until("09:06");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Deleting, created_again_disabled_it_is_disabled) {
  Tower deleted{five_minutely(), "08:58"};
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely().disabled(), "09:06", deleted);

  EXPECT_EQ(tower.state().status, ScheduleStatus::disabled);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Deleting, created_again_it_does_not_catch_up_the_time_when_it_was_disabled) {
  Tower deleted{five_minutely(), "08:58"};
  ASSERT_TRUE(deleted.happens(disable()));
  deleted.until("11:58");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely().catchup(CatchupPolicy::all), "11:59", deleted);
  tower.look();

  EXPECT_THAT(tower.ledger(), ElementsAre("created"));
  EXPECT_EQ(tower.state().wake, moment("12:00"));
}

TEST(Deleting, created_again_it_does_not_catch_up_the_time_when_it_was_dead) {
  Tower deleted{five_minutely().with([](Policies& p) { p.consecutive_failures_max = 1; }), "08:58"};
  deleted.until("09:00");
  deleted.finish("09:00", RunState::failed);
  deleted.until("11:58");
  ASSERT_EQ(deleted.state().status, ScheduleStatus::dead);
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(five_minutely().catchup(CatchupPolicy::all), "11:59", deleted);
  tower.look();

  EXPECT_THAT(tower.ledger(), ElementsAre("created"));
}

TEST(Deleting, created_again_with_another_spec_it_does_not_fire_for_times_before_the_deletion) {
  Tower deleted{a_schedule().cron("0 0 * * *"), "00:00:30"};
  deleted.until("08:58");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower =
      created_again(five_minutely().catchup(CatchupPolicy::all).overlap(OverlapPolicy::allow_all), "09:01", deleted);
  tower.until("09:01");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
}

TEST(Deleting, intervals_keep_their_anchor_when_it_is_created_again) {
  const auto anchored = [] {
    return a_schedule().spec([](Spec& spec) { spec.intervals = {{.every = 7min, .anchor = Anchor::creation}}; });
  };
  Tower deleted{anchored(), "08:58"};
  deleted.until("09:06");
  ASSERT_TRUE(deleted.happens(erase()));

  Tower tower = created_again(anchored(), "09:08", deleted);

  EXPECT_EQ(tower.state().wake, moment("09:12"));
}

}  // namespace
}  // namespace carillon::testing
