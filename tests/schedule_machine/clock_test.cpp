#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A run has held the slot since nine; then a wrong clock showed 10:02.
Tower tower_that_looked_at_a_wrong_clock() {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  tower.sleep_until("10:02");
  (void)tower.new_lines();
  return tower;
}

void set_back(Tower& tower, std::string_view now) {
  tower.set_clock(moment(now));
  EXPECT_TRUE(tower.happens(ClockSetBack{}));
}

std::map<Instant, int> starts_of(const Tower& tower) {
  std::map<Instant, int> starts;
  for (const Tower::Row& row : tower.rows())
    if (is_automatic(row.source) && row.outcome == DecisionOutcome::started) ++starts[row.nominal];
  return starts;
}

TEST(Clock, skips_of_a_future_that_has_not_come_are_voided) {
  Tower tower = tower_that_looked_at_a_wrong_clock();
  ASSERT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 … 09:55 (11) skipped(superseded)",
                                          "10:00 catchup skipped(overlap)"));

  set_back(tower, "09:07");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:10 … 10:00 voided"));
  EXPECT_EQ(tower.state().cursor, moment("09:05"));
  EXPECT_EQ(tower.state().wake, moment("09:10"));
}

TEST(Clock, what_was_voided_is_decided_again_in_its_time) {
  Tower tower = tower_that_looked_at_a_wrong_clock();
  set_back(tower, "09:07");
  tower.finish("09:00");
  (void)tower.new_lines();

  tower.until("09:10");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:10 started"));
}

TEST(Clock, skips_of_the_past_stand) {
  Tower tower = tower_that_looked_at_a_wrong_clock();

  set_back(tower, "10:01");

  EXPECT_THAT(tower.voids(), IsEmpty());
  EXPECT_EQ(tower.state().cursor, moment("10:00"));
}

TEST(Clock, a_start_stands_even_if_its_time_has_not_come) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.sleep_until("09:05");

  set_back(tower, "08:59");
  tower.until("09:09");

  EXPECT_THAT(starts_of(tower), Each(Pair(::testing::_, 1)));
  EXPECT_EQ(starts_of(tower).count(moment("09:05")), 1U);
}

TEST(Clock, a_start_that_waits_ahead_of_its_time_is_decided_again_when_it_comes) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:05");
  ASSERT_EQ(tower.row("09:05").outcome, DecisionOutcome::waiting);

  set_back(tower, "09:02");
  tower.finish("09:00");
  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 skipped(clock)", "09:05 … 09:05 voided"));
  tower.until("09:05");

  EXPECT_EQ(tower.row("09:05").outcome, DecisionOutcome::started);
}

TEST(Clock, what_was_only_skipped_before_a_start_of_the_future_is_voided_too) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.sleep_until("10:02");
  ASSERT_THAT(tower.ledger(),
              ElementsAre("created", "09:00 … 09:55 (12) skipped(superseded)", "10:00 catchup started"));

  set_back(tower, "09:07");
  tower.until("10:05");

  const auto starts = starts_of(tower);
  EXPECT_THAT(starts, Each(Pair(::testing::_, 1)));
  EXPECT_EQ(starts.count(moment("09:10")), 1U) << "the schedule was silent until the wrong clock's time had come";
}

TEST(Clock, a_small_step_back_repeats_nothing) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:00");

  set_back(tower, "08:59:59");
  tower.until("09:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Clock, a_look_at_an_earlier_time_decides_nothing) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:10");
  const Instant cursor = tower.state().cursor;

  tower.set_clock(moment("09:01"));
  ASSERT_TRUE(tower.happens(BecameDue{}));

  EXPECT_EQ(tower.started_count(), 3U);
  EXPECT_EQ(tower.state().cursor, cursor);
  EXPECT_EQ(tower.state().wake, moment("09:15"));
}

TEST(Clock, nothing_starts_twice_whichever_way_it_is_set) {
  const std::string_view times[] = {"09:01", "09:30", "09:12", "09:13", "09:04", "09:31", "09:00", "09:20", "10:00"};
  for (const OverlapPolicy policy : {OverlapPolicy::skip, OverlapPolicy::buffer_all, OverlapPolicy::allow_all}) {
    for (const CatchupPolicy catchup : {CatchupPolicy::latest, CatchupPolicy::all, CatchupPolicy::none}) {
      Tower tower{a_schedule().every(5min).overlap(policy).catchup(catchup), "08:58"};
      for (const std::string_view now : times) {
        if (moment(now) < tower.now()) {
          set_back(tower, now);
        } else {
          tower.sleep_until(now);
        }
      }
      EXPECT_THAT(starts_of(tower), Each(Pair(::testing::_, 1))) << to_text(policy) << ' ' << to_text(catchup);
    }
  }
}

// The clock is wrong for a moment: what it passes again when it is right is late.

Tower set_back_for_a_moment(Tower tower, std::string_view wrong, std::string_view right) {
  set_back(tower, wrong);
  (void)tower.new_lines();
  tower.sleep_until(right);
  return tower;
}

TEST(Clock, that_was_back_for_a_moment_brings_nothing_from_before_the_creation) {
  Tower tower = set_back_for_a_moment(Tower{a_schedule().every(5min), "09:02"}, "08:03", "09:03");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:05 … 09:00 (12) skipped(clock)"));
  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(Clock, that_was_back_for_a_moment_brings_nothing_within_the_grace_either) {
  Tower tower = set_back_for_a_moment(Tower{a_schedule().every(10s), "09:00:05"}, "08:59:35", "09:00:08");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:59:40 … 09:00 (3) skipped(clock)"));
}

TEST(Clock, that_was_back_for_a_moment_brings_nothing_from_before_an_edit) {
  Tower tower{a_schedule().every(1h), "08:30"};
  tower.until("09:02");
  ASSERT_TRUE(tower.edit(a_schedule().every(5min)));

  tower = set_back_for_a_moment(std::move(tower), "08:58", "09:06");

  EXPECT_THAT(tower.new_lines(), ElementsAre("09:05 skipped(overlap)")) << "09:00 stands, and its run still runs";
}

TEST(Clock, that_was_back_for_a_moment_brings_no_occurrence_that_only_the_edit_made) {
  Tower tower{a_schedule().every(1h), "08:30"};
  tower.until("08:50");
  ASSERT_TRUE(tower.edit(a_schedule().every(5min)));

  tower = set_back_for_a_moment(std::move(tower), "08:32", "08:52");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:35 … 08:50 (4) skipped(clock)"));
}

TEST(Clock, that_was_back_for_a_moment_brings_nothing_from_while_it_was_disabled) {
  Tower tower{a_schedule().every(5min).disabled(), "08:30"};
  tower.until("09:02");
  ASSERT_TRUE(tower.happens(enable()));

  tower = set_back_for_a_moment(std::move(tower), "08:43", "09:03");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:45 … 09:00 (4) skipped(clock)"));
}

TEST(Clock, that_was_back_for_a_moment_brings_nothing_from_a_pause) {
  Tower tower{a_schedule().every(5min), "08:41"};
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("09:02");
  ASSERT_TRUE(tower.happens(resume()));

  tower = set_back_for_a_moment(std::move(tower), "08:48", "09:03");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:50 … 09:00 (3) skipped(clock)"));
}

TEST(Clock, that_stays_back_decides_what_comes_due_by_it) {
  Tower tower{a_schedule().every(5min), "09:02"};
  set_back(tower, "08:03");
  (void)tower.new_lines();

  tower.until("08:05");

  EXPECT_THAT(tower.new_lines(), ElementsAre("08:05 started")) << "it would be silent for an hour";
}

TEST(Clock, set_back_in_a_pause_takes_back_nothing_that_was_decided_before) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:01");
  tower.launch("09:00");
  ASSERT_TRUE(tower.happens(pause()));
  (void)tower.new_lines();

  set_back(tower, "08:59");
  EXPECT_THAT(tower.new_lines(), IsEmpty());
  tower.until("09:02");
  ASSERT_TRUE(tower.happens(resume()));

  EXPECT_THAT(tower.new_lines(), ElementsAre("resumed"));
}

}  // namespace
}  // namespace carillon::testing
