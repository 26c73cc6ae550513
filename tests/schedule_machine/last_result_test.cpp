#include "schedule_machine/user_commands.hpp"

#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

void run_at(Tower& tower, std::string_view nominal, RunState how) {
  tower.until(nominal);
  tower.finish(nominal, how);
}

TEST(LastResult, the_first_run_is_given_none) {
  Tower tower{a_schedule().every(5min), "08:58"};

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").last_success, Seq{});
}

TEST(LastResult, the_next_run_is_given_that_of_the_one_before) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_at(tower, "09:00", RunState::succeeded);

  tower.until("09:05");

  EXPECT_EQ(tower.row("09:05").last_success, Seq{1});
}

TEST(LastResult, outlives_whatever_did_not_succeed) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_at(tower, "09:00", RunState::succeeded);
  run_at(tower, "09:05", RunState::failed);
  run_at(tower, "09:10", RunState::cancelled);
  run_at(tower, "09:15", RunState::timed_out);
  run_at(tower, "09:20", RunState::lost);
  run_at(tower, "09:25", RunState::expired);

  tower.until("09:30");

  EXPECT_EQ(tower.row("09:30").last_success, Seq{1});
}

TEST(LastResult, of_the_newest_counts_in_whatever_order_they_end) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:05");
  tower.finish("09:05");
  tower.until("09:10");
  tower.finish("09:00");

  tower.until("09:15");

  EXPECT_EQ(tower.row("09:10").last_success, Seq{2});
  EXPECT_EQ(tower.row("09:15").last_success, Seq{2});
}

TEST(LastResult, a_waiting_start_is_given_that_of_the_run_it_waited_for) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:06");

  tower.finish("09:00");

  EXPECT_EQ(tower.row("09:05").last_success, Seq{1});
}

TEST(LastResult, may_come_from_a_start_by_hand_and_go_to_one) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(trigger("t1")));
  tower.end_run(1, RunState::succeeded);
  tower.until("09:00");
  EXPECT_EQ(tower.row("09:00").last_success, Seq{1});
  tower.finish("09:00");

  ASSERT_TRUE(tower.happens(trigger("t2")));

  EXPECT_EQ(tower.rows().back().last_success, Seq{2});
}

TEST(LastResult, of_a_backfilled_occurrence_is_not_handed_on) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.until("08:58");
  tower.finish("08:00");

  tower.until("09:00");

  EXPECT_EQ(tower.row("09:00").last_success, Seq{});
}

TEST(LastResult, survives_an_edit_and_a_pause) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_at(tower, "09:00", RunState::succeeded);
  ASSERT_TRUE(tower.happens(pause()));
  ASSERT_TRUE(tower.edit(a_schedule().every(5min).overlap(OverlapPolicy::allow_all)));
  ASSERT_TRUE(tower.happens(resume()));

  tower.until("09:05");

  EXPECT_EQ(tower.row("09:05").last_success, Seq{1});
}

TEST(LastResult, the_schedule_shows_whether_its_newest_run_failed) {
  Tower tower{a_schedule().every(5min), "08:58"};

  run_at(tower, "09:00", RunState::failed);
  tower.until("09:05");
  EXPECT_TRUE(tower.state().has_failed);
  tower.finish("09:05");
  tower.until("09:10");

  EXPECT_FALSE(tower.state().has_failed);
}

}  // namespace
}  // namespace carillon::testing
