#include "support/tower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tower tower_with_run_since_nine(OverlapPolicy policy) {
  Tower tower{a_schedule().every(5min).overlap(policy), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  (void)tower.new_lines();
  return tower;
}

TEST(Overlap, an_occurrence_starts_when_nothing_runs) {
  Tower tower{a_schedule().every(5min), "08:58"};

  tower.until("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Overlap, skip_lets_an_occurrence_pass_while_a_run_is_active) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::skip);

  tower.until("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(overlap)"));
  EXPECT_EQ(tower.state().wake, moment("09:10"));
}

TEST(Overlap, a_run_that_waits_for_its_worker_or_its_retry_holds_the_slot_too) {
  for (const RunState state : {RunState::queued, RunState::running, RunState::retrying}) {
    Tower tower = tower_with_run_since_nine(OverlapPolicy::skip);
    tower.row("09:00").run.state = state;

    tower.until("09:05");

    EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(overlap)")) << to_text(state);
  }
}

TEST(Overlap, buffer_one_keeps_the_first_and_skips_the_rest) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::buffer_one);

  tower.until("09:15");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 waiting", "09:10 skipped(overlap)", "09:15 skipped(overlap)"));
}

TEST(Overlap, a_waiting_start_begins_when_the_run_before_it_ends) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::buffer_one);
  tower.until("09:07");

  tower.finish("09:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started"));
  EXPECT_EQ(tower.row("09:05").run.queued_at, moment("09:07"));
}

TEST(Overlap, buffer_latest_keeps_the_newest) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::buffer_latest);

  tower.until("09:15");

  EXPECT_THAT(tower.new_lines(),
              ElementsAre("09:05 skipped(superseded)", "09:10 skipped(superseded)", "09:15 waiting"));
}

TEST(Overlap, buffer_all_keeps_all_and_starts_them_in_order) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::buffer_all);
  tower.until("09:11");

  tower.finish("09:00");
  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started", "09:10 waiting"));

  tower.finish("09:05");
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started", "09:10 started"));
}

TEST(Overlap, buffer_all_has_a_limit_and_says_when_it_is_full) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_all).with([](Policies& p) { p.buffer_limit = 2; }),
              "08:58"};

  tower.until("09:15");

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 started", "09:05 waiting", "09:10 waiting", "09:15 skipped(buffer_full)"));
}

TEST(Overlap, cancel_other_asks_the_running_one_to_stop_and_starts_when_it_has_ended) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::cancel_other);

  tower.until("09:05");
  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 waiting"));
  EXPECT_EQ(tower.row("09:00").run.stop, Stop::cancel);

  tower.finish("09:00", RunState::cancelled);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Overlap, cancel_other_asks_once_and_only_the_newest_waits) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::cancel_other);

  tower.until("09:10");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(superseded)", "09:10 waiting"));
  EXPECT_EQ(tower.orders().size(), 1U);
}

TEST(Overlap, cancel_other_takes_the_place_of_a_run_that_nobody_has_claimed) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::cancel_other), "08:58"};
  tower.until("09:00");

  tower.until("09:05");

  EXPECT_EQ(tower.rows()[0].run.state, RunState::cancelled);
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started"));
}

TEST(Overlap, terminate_other_kills_and_starts_when_it_has_ended) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::terminate_other);

  tower.until("09:05");
  EXPECT_EQ(tower.row("09:00").run.stop, Stop::terminate);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);

  tower.finish("09:00", RunState::cancelled);
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Overlap, allow_all_starts_beside_what_runs) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::allow_all);

  tower.until("09:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 started"));
  EXPECT_THAT(tower.orders(), IsEmpty());
}

TEST(Overlap, occurrences_found_together_are_decided_one_by_one) {
  const auto found_at_nine = [](OverlapPolicy policy) {
    Tower tower{a_schedule().every(10s).overlap(policy), "08:59:35"};
    tower.sleep_until("09:00:00");
    auto lines = tower.ledger();
    lines.erase(lines.begin());
    return lines;
  };

  EXPECT_THAT(found_at_nine(OverlapPolicy::skip),
              ElementsAre("08:59:40 started", "08:59:50 skipped(outage)", "09:00 skipped(overlap)"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::buffer_one),
              ElementsAre("08:59:40 started", "08:59:50 waiting", "09:00 skipped(overlap)"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::buffer_latest),
              ElementsAre("08:59:40 started", "08:59:50 skipped(superseded)", "09:00 waiting"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::buffer_all),
              ElementsAre("08:59:40 started", "08:59:50 waiting", "09:00 waiting"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::cancel_other),
              ElementsAre("08:59:40 skipped(superseded)", "08:59:50 skipped(superseded)", "09:00 started"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::terminate_other),
              ElementsAre("08:59:40 skipped(superseded)", "08:59:50 skipped(superseded)", "09:00 started"));
  EXPECT_THAT(found_at_nine(OverlapPolicy::allow_all),
              ElementsAre("08:59:40 started", "08:59:50 started", "09:00 started"));
}

TEST(Overlap, one_that_has_waited_gives_way_to_one_that_comes_due_as_it_is_let_go) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::cancel_other);
  tower.until("09:05");
  tower.set_clock(moment("09:10"));
  tower.end_run(1, RunState::cancelled);

  tower.look();

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(superseded)", "09:10 started"));
  EXPECT_EQ(tower.state().counts.runs, 2);
}

TEST(Overlap, a_finish_between_reading_and_writing_wakes_who_then_waits) {
  Tower tower = tower_with_run_since_nine(OverlapPolicy::buffer_one);
  const auto decided = step(tower.definition(), tower.view(), BecameDue{}, moment("09:05"));
  tower.set_clock(moment("09:05"));

  tower.end_run(1, RunState::succeeded);
  EXPECT_FALSE(tower.state().listens);
  tower.write(decided.value());
  EXPECT_EQ(tower.state().wake, tower.now());

  tower.look();
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

}  // namespace
}  // namespace carillon::testing
