#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = BackfillChanged::Kind;

ScheduleBuilder five_minutely() { return a_schedule().every(5min); }

// Created at 08:58, so that everything before is there to be filled in.
Tower tower_with(Backfill backfill, ScheduleBuilder builder = five_minutely()) {
  Tower tower{std::move(builder), "08:58"};
  EXPECT_TRUE(tower.happens(request(std::move(backfill))));
  tower.until("08:58");
  (void)tower.new_lines();
  return tower;
}

Backfill quarter_past_eight() { return backfill_of("08:00", "08:15"); }

// Ends every open run of the lane, again and again, until it starts nothing more.
void run_dry(Tower& tower, RunState how = RunState::succeeded) {
  const auto next_open = [&] {
    return std::ranges::find_if(tower.rows(), [](const Tower::Row& row) {
      return row.backfill != 0 && row.outcome == DecisionOutcome::started && !is_terminal(row.run.state);
    });
  };
  for (auto row = next_open(); row != tower.rows().end(); row = next_open()) {
    tower.end_run(row->seq, how);
    tower.until(tower.now());
  }
}

std::vector<std::string> backfilled(const Tower& tower) {
  std::vector<std::string> nominals;
  for (const Tower::Row& row : tower.rows())
    if (row.source == Source::backfill) nominals.push_back(to_text(row.nominal).substr(11, 5));
  return nominals;
}

TEST(Backfilling, runs_the_occurrences_of_its_range_one_after_the_other) {
  Tower tower = tower_with(quarter_past_eight());
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));

  tower.finish("08:00");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05"));
  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10"));
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(Backfilling, leaves_out_the_end_of_its_range) {
  Tower tower = tower_with(backfill_of("08:05", "08:10"));

  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:05"));
}

TEST(Backfilling, can_run_several_at_once) {
  Backfill backfill = backfill_of("08:00", "08:30");
  backfill.concurrency = 4;
  Tower tower = tower_with(backfill);
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10", "08:15"));

  tower.finish("08:10");

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10", "08:15", "08:20"));
}

TEST(Backfilling, can_begin_with_the_newest) {
  Backfill backfill = quarter_past_eight();
  backfill.order = BackfillOrder::newest_first;
  Tower tower = tower_with(backfill);

  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:10", "08:05", "08:00"));
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(Backfilling, tells_how_far_it_is) {
  Tower tower = tower_with(quarter_past_eight());
  EXPECT_EQ(tower.backfills()[0].total, 3);
  EXPECT_EQ(tower.backfills()[0].done, 1);
  EXPECT_EQ(tower.backfills()[0].started, 1);
  EXPECT_EQ(tower.backfills()[0].number, 1);

  run_dry(tower);

  EXPECT_EQ(tower.backfills()[0].done, 3);
  EXPECT_EQ(tower.backfills()[0].started, 3);
}

TEST(Backfilling, is_complete_when_its_last_run_has_ended_not_before) {
  Tower tower = tower_with(backfill_of("08:00", "08:05"));
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::running);
  EXPECT_TRUE(tower.state().listens);

  tower.finish("08:00", RunState::failed);

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(Backfilling, of_a_range_without_occurrences_is_complete_at_once) {
  Tower tower = tower_with(backfill_of("08:01", "08:04"));

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_THAT(tower.rows(), IsEmpty());
}

// 09:00 succeeds, 09:05 fails, 09:10 is skipped because a run by hand holds the slot.
Tower tower_with_history() {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.finish("09:00");
  tower.until("09:05");
  tower.finish("09:05", RunState::failed);
  tower.until("09:06");
  EXPECT_TRUE(tower.happens(trigger("t1", OverlapPolicy::skip)));
  tower.until("09:10");
  tower.end_run(3, RunState::succeeded);
  tower.until("09:11");
  return tower;
}

std::vector<std::string> backfilled_over_history(Reprocess reprocess) {
  Tower tower = tower_with_history();
  Backfill backfill = backfill_of("08:55", "09:11");
  backfill.reprocess = reprocess;
  EXPECT_TRUE(tower.happens(request(backfill)));
  tower.until(tower.now());
  run_dry(tower);
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[0].done, 4);
  return backfilled(tower);
}

TEST(Backfilling, missing_runs_what_has_no_run) {
  EXPECT_THAT(backfilled_over_history(Reprocess::missing), ElementsAre("08:55", "09:10"));
}

TEST(Backfilling, failed_also_runs_what_has_failed) {
  EXPECT_THAT(backfilled_over_history(Reprocess::failed), ElementsAre("08:55", "09:05", "09:10"));
}

TEST(Backfilling, all_runs_everything) {
  EXPECT_THAT(backfilled_over_history(Reprocess::all), ElementsAre("08:55", "09:00", "09:05", "09:10"));
}

TEST(Backfilling, twice_over_the_same_range_finds_nothing_missing) {
  Tower tower = tower_with(quarter_past_eight());
  run_dry(tower);
  Backfill again = quarter_past_eight();
  again.id = "b2";

  ASSERT_TRUE(tower.happens(request(again)));
  tower.until(tower.now());

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10"));
  EXPECT_EQ(tower.backfills()[1].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[1].number, 2);
  EXPECT_EQ(tower.backfills()[1].started, 0);
}

TEST(Backfilling, that_failed_once_is_repaired_by_another) {
  Tower tower = tower_with(quarter_past_eight());
  tower.finish("08:00", RunState::failed);
  run_dry(tower);
  Backfill again = quarter_past_eight();
  again.id = "b2";
  again.reprocess = Reprocess::failed;

  ASSERT_TRUE(tower.happens(request(again)));
  tower.until(tower.now());
  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10", "08:00"));
}

TEST(Backfilling, neither_takes_the_slot_nor_waits_for_it) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:01");

  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.until("09:01");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
  tower.finish("09:00");
  tower.until("09:05");

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Backfilling, exclusive_waits_for_the_slot_and_takes_it) {
  Tower tower{five_minutely(), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:01");
  Backfill backfill = backfill_of("08:00", "08:10");
  backfill.is_exclusive = true;

  ASSERT_TRUE(tower.happens(request(backfill)));
  tower.until("09:01");
  EXPECT_THAT(backfilled(tower), IsEmpty());
  tower.finish("09:00");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
  tower.until("09:05");
  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 started", "08:00 backfill started", "09:05 skipped(overlap)"));
  tower.finish("08:00");

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05"));
}

TEST(Backfilling, exclusive_lets_waiting_starts_go_first) {
  Tower tower{five_minutely().overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.until("09:06");
  Backfill backfill = backfill_of("08:00", "08:05");
  backfill.is_exclusive = true;
  ASSERT_TRUE(tower.happens(request(backfill)));
  tower.until("09:06");

  tower.finish("09:00");
  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
  EXPECT_THAT(backfilled(tower), IsEmpty());
  tower.finish("09:05");

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
}

TEST(Backfilling, a_trigger_that_replaces_others_comes_before_an_exclusive_backfill) {
  for (const OverlapPolicy overlap : {OverlapPolicy::cancel_other, OverlapPolicy::terminate_other}) {
    Tower tower{five_minutely(), "08:58"};
    Backfill backfill = backfill_of("08:00", "08:10");
    backfill.is_exclusive = true;
    ASSERT_TRUE(tower.happens(request(backfill)));

    ASSERT_TRUE(tower.happens(trigger("t1", overlap)));
    tower.until("08:58");

    // It either runs at once or has asked somebody to make room; it never just waits.
    EXPECT_EQ(tower.row_at(0).trigger, "t1");
    EXPECT_EQ(tower.row_at(0).outcome, DecisionOutcome::started);
    EXPECT_THAT(backfilled(tower), IsEmpty());
    tower.end_run(tower.row_at(0).seq, RunState::succeeded);
    tower.until("08:58");
    EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
  }
}

TEST(Backfilling, works_in_every_status) {
  Tower paused{five_minutely(), "08:58"};
  Tower disabled{five_minutely().disabled(), "08:58"};
  Tower dead{five_minutely().with([](Policies& p) { p.consecutive_failures_max = 1; }), "08:53"};
  Tower done{five_minutely().until(moment("08:30")), "08:58"};
  ASSERT_TRUE(paused.happens(pause()));
  dead.until("08:55");
  dead.finish("08:55", RunState::failed);
  for (Tower* tower : {&paused, &disabled, &dead, &done}) {
    const ScheduleStatus status = tower->state().status;

    ASSERT_TRUE(tower->happens(request(backfill_of("08:00", "08:10"))));
    tower->until(tower->now());
    run_dry(*tower);

    EXPECT_THAT(backfilled(*tower), ElementsAre("08:00", "08:05")) << to_text(status);
    EXPECT_EQ(tower->state().status, status);
    EXPECT_EQ(tower->backfills()[0].state, BackfillState::completed);
  }
}

TEST(Backfilling, knows_neither_grace_nor_window) {
  Tower tower = tower_with(quarter_past_eight(), five_minutely().catchup(CatchupPolicy::none).with([](Policies& p) {
    p.catchup.window = 1s;
    p.catchup.grace = 0s;
  }));

  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10"));
}

TEST(Backfilling, paused_it_starts_nothing_until_it_is_resumed) {
  Tower tower = tower_with(quarter_past_eight());

  ASSERT_TRUE(tower.happens(change(Kind::pause)));
  tower.finish("08:00");
  tower.until("08:59");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
  ASSERT_TRUE(tower.happens(change(Kind::resume)));
  tower.until("08:59");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05"));
  run_dry(tower);

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(Backfilling, cancelled_it_ends_its_runs_and_starts_no_more) {
  Backfill backfill = backfill_of("08:00", "08:30");
  backfill.concurrency = 2;
  Tower tower = tower_with(backfill);
  tower.launch("08:00");

  ASSERT_TRUE(tower.happens(change(Kind::cancel)));

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::cancelled);
  EXPECT_EQ(tower.row("08:00").run.stop, Stop::cancel);
  EXPECT_EQ(tower.row("08:05").run.state, RunState::cancelled);
  tower.finish("08:00", RunState::cancelled);
  tower.until("09:01");
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05"));
}

TEST(Backfilling, a_pause_of_the_schedule_does_not_touch_it) {
  Tower tower = tower_with(quarter_past_eight());

  ASSERT_TRUE(tower.happens(pause()));
  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:05", "08:10"));
  EXPECT_THAT(tower.orders(), IsEmpty());
}

TEST(Backfilling, never_suppresses_or_repeats_an_automatic_decision) {
  Tower tower = tower_with(backfill_of("08:00", "08:58"));

  for (const std::string_view now : {"08:59", "09:00", "09:03", "09:05"}) {
    tower.until(now);
    run_dry(tower);
  }

  std::vector<std::string> own;
  for (const Tower::Row& row : tower.rows())
    if (is_automatic(row.source)) own.push_back(to_text(row.nominal).substr(11, 5));
  EXPECT_THAT(own, ElementsAre("09:00", "09:05"));
  EXPECT_EQ(tower.state().cursor, moment("09:05"));
}

TEST(Backfilling, an_edit_in_the_middle_goes_on_with_the_new_spec) {
  Tower tower = tower_with(backfill_of("08:00", "08:30"));
  EXPECT_EQ(tower.backfills()[0].total, 6);

  ASSERT_TRUE(tower.edit(a_schedule().every(10min)));
  EXPECT_EQ(tower.backfills()[0].total, 3);
  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "08:10", "08:20"));
  EXPECT_EQ(tower.backfills()[0].done, 3);
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.rows().front().revision, 1);
  EXPECT_EQ(tower.rows().back().revision, 2);
}

TEST(Backfilling, an_edit_that_leaves_nothing_completes_it) {
  Tower tower = tower_with(backfill_of("08:00", "08:30"));

  ASSERT_TRUE(tower.edit(a_schedule().every(1h)));
  run_dry(tower);

  EXPECT_THAT(backfilled(tower), ElementsAre("08:00"));
  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
}

TEST(Backfilling, two_have_lanes_of_their_own) {
  Tower tower = tower_with(backfill_of("08:00", "08:10"));
  Backfill second = backfill_of("07:00", "07:10");
  second.id = "b2";

  ASSERT_TRUE(tower.happens(request(second)));
  tower.until(tower.now());
  EXPECT_THAT(backfilled(tower), ElementsAre("08:00", "07:00"));
  run_dry(tower);

  EXPECT_EQ(tower.backfills()[0].state, BackfillState::completed);
  EXPECT_EQ(tower.backfills()[1].state, BackfillState::completed);
}

TEST(Backfilling, refuses_what_makes_no_sense) {
  Tower tower{five_minutely(), "08:58"};
  const auto message_of = [&](const Backfill& backfill) {
    const auto outcome = tower.happens(request(backfill));
    return outcome ? "accepted" : outcome.error().message;
  };
  Backfill none_at_once = quarter_past_eight();
  none_at_once.concurrency = 0;
  Backfill too_many_at_once = quarter_past_eight();
  too_many_at_once.concurrency = backfill_concurrency_max + 1;
  const Backfill too_long = backfill_of("2024-01-01T00:00:00Z", "2027-01-01T00:00:00Z");

  EXPECT_EQ(message_of(backfill_of("08:15", "08:15")),
            "a backfill must end after it begins: to is 2027-03-01T08:15:00Z");
  EXPECT_EQ(message_of(backfill_of("08:15", "09:15")),
            "a backfill cannot reach into the future: to is 2027-03-01T09:15:00Z");
  EXPECT_EQ(message_of(none_at_once), "concurrency 0 is not between 1 and 1000");
  EXPECT_EQ(message_of(too_many_at_once), "concurrency 1001 is not between 1 and 1000");
  EXPECT_THAT(message_of(too_long), ::testing::EndsWith("occurrences is more than the limit of 100000; split it"));
  EXPECT_THAT(tower.backfills(), IsEmpty());
}

TEST(Backfilling, refuses_an_id_that_is_in_use_and_takes_it_when_it_is_free) {
  Tower tower = tower_with(backfill_of("08:00", "08:05"));

  EXPECT_EQ(tower.happens(request(quarter_past_eight())).error().code, ErrorCode::conflict);
  run_dry(tower);

  EXPECT_TRUE(tower.happens(request(quarter_past_eight())));
}

TEST(Backfilling, refuses_changes_that_do_not_fit_its_state) {
  Tower tower = tower_with(quarter_past_eight());

  EXPECT_EQ(tower.happens(change(Kind::resume)).error().message, "Cannot resume backfill with state 'running'");
  EXPECT_EQ(tower.happens(change(Kind::pause, "b9")).error().code, ErrorCode::not_found);
  ASSERT_TRUE(tower.happens(change(Kind::pause)));
  EXPECT_EQ(tower.happens(change(Kind::pause)).error().message, "Cannot pause backfill with state 'paused'");
  ASSERT_TRUE(tower.happens(change(Kind::cancel)));
  EXPECT_EQ(tower.happens(change(Kind::resume)).error().code, ErrorCode::not_found);
}

// A store may know only the beginning of the range; then it is asked again at once.
TEST(Backfilling, asks_for_more_where_what_is_known_ends) {
  Tower tower = tower_with(quarter_past_eight());
  ScheduleView view = tower.view();
  view.live[0].state = RunState::succeeded;
  view.backfills[0].known_to = moment("08:05");

  const auto decided = step(tower.definition(), view, BecameDue{}, tower.now());

  ASSERT_TRUE(decided);
  EXPECT_THAT(decided->decisions, IsEmpty());
  EXPECT_EQ(decided->next.wake, tower.now());
}

TEST(Backfilling, asks_for_more_also_when_a_paused_schedule_is_edited) {
  const auto keeping = [] { return five_minutely().missed(PauseMissed::buffer).overlap(OverlapPolicy::buffer_all); };
  Tower tower = tower_with(quarter_past_eight(), keeping());
  ASSERT_TRUE(tower.happens(pause()));
  tower.set_clock(moment("09:12"));
  ScheduleView view = tower.view();
  view.live[0].state = RunState::succeeded;
  view.backfills[0].known_to = moment("08:05");
  const Definition next = keeping().definition(tower.state().revision + 1, tower.state().created_at);

  const auto decided =
      step(tower.definition(), view, Edited{.by = "anna", .document = "{}", .next = &next}, tower.now());

  ASSERT_TRUE(decided);
  EXPECT_EQ(decided->next.wake, tower.now());
}

}  // namespace
}  // namespace carillon::testing
