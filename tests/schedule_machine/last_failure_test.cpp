#include "schedule_machine/user_commands.hpp"

#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;

void run_to(Tower& tower, std::string_view nominal, RunState how) {
  tower.until(nominal);
  tower.finish(nominal, how);
}

TEST(LastFailure, the_next_run_is_told_of_it) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_to(tower, "09:00", RunState::succeeded);
  run_to(tower, "09:05", RunState::failed);

  tower.until("09:10");

  EXPECT_EQ(tower.row("09:05").last_failure, Seq{});
  EXPECT_EQ(tower.row("09:10").last_failure, Seq{2});
  EXPECT_EQ(tower.row("09:10").last_success, Seq{1});
}

TEST(LastFailure, of_the_newest_that_failed_timed_out_or_was_lost) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_to(tower, "09:00", RunState::failed);
  run_to(tower, "09:05", RunState::timed_out);
  run_to(tower, "09:10", RunState::lost);
  run_to(tower, "09:15", RunState::cancelled);

  tower.until("09:20");

  EXPECT_EQ(tower.row("09:10").last_failure, Seq{2});
  EXPECT_EQ(tower.row("09:20").last_failure, Seq{3});
}

TEST(LastFailure, is_over_with_a_success) {
  Tower tower{a_schedule().every(5min), "08:58"};
  run_to(tower, "09:00", RunState::failed);
  run_to(tower, "09:05", RunState::succeeded);

  tower.until("09:10");

  EXPECT_EQ(tower.row("09:10").last_failure, Seq{});
}

TEST(LastFailure, an_older_success_that_ends_later_does_not_hide_it) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::allow_all), "08:58"};
  tower.until("09:05");
  tower.finish("09:05", RunState::failed);
  tower.finish("09:00", RunState::succeeded);

  tower.until("09:10");

  EXPECT_EQ(tower.row("09:10").last_failure, Seq{2});
}

TEST(LastFailure, a_trigger_is_told_too_and_a_backfill_tells_nobody) {
  Tower tower{a_schedule().every(5min), "08:58"};
  ASSERT_TRUE(tower.happens(request(backfill_of("08:00", "08:05"))));
  tower.look();
  tower.finish("08:00", RunState::failed);
  tower.until("09:00");
  EXPECT_EQ(tower.row("09:00").last_failure, Seq{});
  tower.finish("09:00", RunState::failed);

  ASSERT_TRUE(tower.happens(trigger("t1")));

  EXPECT_EQ(tower.rows().back().last_failure, Seq{2});
}

}  // namespace
}  // namespace carillon::testing
