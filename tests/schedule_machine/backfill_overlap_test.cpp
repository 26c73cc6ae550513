// Backfills through the schedule's slot.
#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

ScheduleBuilder half_hourly() { return a_schedule().every(30min); }

Backfill through(OverlapPolicy overlap, std::string_view from = "07:00", std::string_view to = "08:30") {
  Backfill backfill = backfill_of(from, to);
  backfill.overlap = overlap;
  backfill.reprocess = Reprocess::all;
  backfill.concurrency = backfill_concurrency_max;
  return backfill;
}

Tower tower_filled(Backfill backfill, ScheduleBuilder builder = half_hourly()) {
  Tower tower{std::move(builder), "08:45"};
  EXPECT_TRUE(tower.happens(request(std::move(backfill))));
  tower.look();
  (void)tower.new_lines();
  return tower;
}

std::vector<std::string> outcomes(const Tower& tower) {
  std::vector<std::string> lines;
  for (const std::string& line : tower.ledger())
    if (line.contains("backfill")) lines.push_back(line);
  return lines;
}

TEST(BackfillOverlap, buffer_all_runs_them_one_after_the_other) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_all));
  EXPECT_THAT(outcomes(tower),
              ElementsAre("07:00 backfill started", "07:30 backfill waiting", "08:00 backfill waiting"));

  tower.finish("07:00");
  tower.finish("07:30");
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::running);
  tower.finish("08:00");

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[0].started, 3);
  EXPECT_EQ(tower.backfills()[0].done, 3);
}

TEST(BackfillOverlap, skip_starts_the_first_and_skips_the_others) {
  Tower tower = tower_filled(through(OverlapPolicy::skip));

  EXPECT_THAT(outcomes(tower), ElementsAre("07:00 backfill started", "07:30 backfill skipped(overlap)",
                                           "08:00 backfill skipped(overlap)"));
  tower.finish("07:00");
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[0].started, 1);
}

TEST(BackfillOverlap, buffer_one_keeps_one) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_one));

  EXPECT_THAT(outcomes(tower),
              ElementsAre("07:00 backfill started", "07:30 backfill waiting", "08:00 backfill skipped(overlap)"));
}

TEST(BackfillOverlap, allow_all_starts_them_at_once_and_holds_no_slot) {
  Tower tower = tower_filled(through(OverlapPolicy::allow_all));
  EXPECT_THAT(outcomes(tower),
              ElementsAre("07:00 backfill started", "07:30 backfill started", "08:00 backfill started"));

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(BackfillOverlap, cancel_other_leaves_only_the_newest) {
  Tower tower = tower_filled(through(OverlapPolicy::cancel_other));

  EXPECT_THAT(outcomes(tower), ElementsAre("07:00 backfill skipped(superseded)", "07:30 backfill skipped(superseded)",
                                           "08:00 backfill started"));
  EXPECT_EQ(tower.backfills()[0].started, 1);
  EXPECT_EQ(tower.state().counts.runs, 1);
  tower.finish("08:00");
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(BackfillOverlap, terminate_other_waits_until_the_running_one_has_ended) {
  Tower tower{half_hourly(), "08:45"};
  tower.until("09:00");
  tower.launch("09:00");

  ASSERT_TRUE(tower.happens(request(through(OverlapPolicy::terminate_other, "07:00", "07:01"))));
  tower.look();
  EXPECT_EQ(tower.row("07:00").outcome, DecisionOutcome::waiting);
  ASSERT_EQ(tower.orders().size(), 1U);
  EXPECT_EQ(tower.orders()[0].kind, RunOrder::Kind::terminate);
  tower.finish("09:00", RunState::cancelled);

  EXPECT_EQ(tower.row("07:00").outcome, DecisionOutcome::started);
}

TEST(BackfillOverlap, takes_the_slot_from_automatic_starts_and_waits_for_them) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_all, "07:00", "07:01"));

  tower.until("09:00");
  EXPECT_THAT(tower.ledger(), Contains("09:00 skipped(overlap)"));
  tower.finish("07:00");
  tower.until("09:30");
  ASSERT_TRUE(tower.happens(request(through(OverlapPolicy::buffer_all, "07:30", "07:31"))));
  tower.look();

  EXPECT_EQ(tower.row("07:30").outcome, DecisionOutcome::waiting);
  tower.finish("09:30");
  EXPECT_EQ(tower.row("07:30").outcome, DecisionOutcome::started);
}

TEST(BackfillOverlap, runs_in_a_pause) {
  Tower tower{half_hourly(), "08:45"};
  ASSERT_TRUE(tower.happens(pause()));

  ASSERT_TRUE(tower.happens(request(through(OverlapPolicy::buffer_all))));
  tower.look();
  tower.finish("07:00");

  EXPECT_EQ(tower.row("07:30").outcome, DecisionOutcome::started);
}

TEST(BackfillOverlap, a_full_buffer_is_waited_for) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_all, "06:00", "08:30"),
                             half_hourly().with([](Policies& p) { p.buffer_limit = 1; }));
  EXPECT_THAT(outcomes(tower), ElementsAre("06:00 backfill started", "06:30 backfill waiting"));

  for (const char* nominal : {"06:00", "06:30", "07:00", "07:30", "08:00"}) tower.finish(nominal);

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[0].started, 5);
}

TEST(BackfillOverlap, may_reach_into_the_future_and_starts_at_once) {
  Tower tower = tower_filled(through(OverlapPolicy::allow_all, "09:00", "09:31"));

  EXPECT_THAT(outcomes(tower), ElementsAre("09:00 backfill started", "09:30 backfill started"));
}

TEST(BackfillOverlap, cancelling_it_ends_what_waits) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_all));

  ASSERT_TRUE(tower.happens(change(BackfillChanged::Kind::cancel)));
  tower.look();

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::cancelled);
  for (const Tower::Row& row : tower.rows()) EXPECT_EQ(row.run.state, RunState::cancelled) << row.seq;
  tower.until("09:00");
  EXPECT_EQ(tower.row("09:00").outcome, DecisionOutcome::started);
}

TEST(BackfillOverlap, is_complete_when_a_trigger_has_pushed_aside_what_waited) {
  Tower tower = tower_filled(through(OverlapPolicy::buffer_all));
  tower.launch("07:00");

  ASSERT_TRUE(tower.happens(trigger("t1", OverlapPolicy::cancel_other)));
  tower.finish("07:00", RunState::cancelled);
  tower.look();

  EXPECT_THAT(tower.ledger(), Contains("07:30 backfill skipped(superseded)"));
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

/// A second backfill, from 07:00 on, stops the run that has the slot.
void stop_for_another(Tower& tower, std::string_view running) {
  Backfill stopping = through(OverlapPolicy::cancel_other);
  stopping.id = "stopping";
  stopping.concurrency = 1;
  ASSERT_TRUE(tower.happens(request(std::move(stopping))));
  tower.look();
  tower.finish(running, RunState::cancelled);
}

TEST(BackfillOverlap, an_exclusive_backfill_starts_nothing_before_one_that_would_stop_it) {
  Tower tower{half_hourly(), "08:45"};
  Backfill exclusive = backfill_of("05:00", "06:30");
  exclusive.is_exclusive = true;
  exclusive.reprocess = Reprocess::all;
  ASSERT_TRUE(tower.happens(request(std::move(exclusive))));
  tower.look();
  stop_for_another(tower, "05:00");
  ASSERT_EQ(tower.row("07:00").outcome, DecisionOutcome::started);

  tower.finish("07:00");

  EXPECT_EQ(tower.row("07:30").outcome, DecisionOutcome::started);
  tower.finish("07:30");
  tower.finish("08:00");
  EXPECT_EQ(tower.row("05:30").outcome, DecisionOutcome::started) << "when the other one is done";
}

TEST(BackfillOverlap, a_backfill_whose_start_gave_way_goes_on_at_once) {
  Tower tower{half_hourly(), "08:45"};
  Backfill patient = through(OverlapPolicy::buffer_latest, "05:00", "06:30");
  patient.concurrency = 1;
  ASSERT_TRUE(tower.happens(request(std::move(patient))));
  tower.look();
  stop_for_another(tower, "05:00");
  tower.finish("07:00");
  tower.until("08:46");

  EXPECT_THAT(outcomes(tower),
              ElementsAre("05:00 backfill started", "07:00 backfill started", "05:30 backfill skipped(superseded)",
                          "07:30 backfill started", "06:00 backfill waiting"));
}

}  // namespace
}  // namespace carillon::testing
