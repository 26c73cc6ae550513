#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(Creating, starts_nothing_by_itself) {
  Tower interval{a_schedule().every(5min), "09:00"};
  Tower cron{a_schedule().cron("0 9 * * *"), "09:00"};
  Tower past{a_schedule().once(moment("08:00")).once(moment("10:00")), "09:00"};

  for (Tower* tower : {&interval, &cron, &past}) {
    tower->look();
    EXPECT_THAT(tower->ledger(), ElementsAre("created"));
  }
  EXPECT_EQ(interval.state().wake, moment("09:05"));
  EXPECT_EQ(cron.state().wake, moment("2027-03-02T09:00:00Z"));
  EXPECT_EQ(past.state().wake, moment("10:00"));
}

TEST(Creating, writes_the_document_the_key_and_who_it_was) {
  Tower tower{a_schedule().every(5min), "09:00"};

  const Change& change = tower.changes().front();
  EXPECT_EQ(change.kind, ChangeKind::created);
  EXPECT_EQ(change.by, "anna");
  EXPECT_EQ(change.revision, 1);
  EXPECT_EQ(change.document, "{}");
  ASSERT_TRUE(change.key);
  EXPECT_EQ(change.key->id.text(), "tower");
  EXPECT_EQ(tower.state().version, 1);
  EXPECT_EQ(tower.state().created_at, moment("09:00"));
}

TEST(Creating, an_occurrence_whose_time_has_come_and_whose_jitter_has_not_is_not_ours) {
  const auto jittery = a_schedule().every(1h).jitter(50min);
  ASSERT_GT(jittery.definition().due(moment("09:00")), moment("09:01"));
  Tower tower{jittery, "09:00:30"};

  tower.until("09:59:59");

  EXPECT_THAT(tower.ledger(), ElementsAre("created"));
}

TEST(Creating, waits_for_its_beginning) {
  Tower tower{a_schedule().every(5min).from(moment("09:10")), "08:58"};

  EXPECT_EQ(tower.state().wake, moment("09:10"));
  tower.until("09:10");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:10 started"));
}

TEST(Creating, disabled_it_sleeps) {
  Tower tower{a_schedule().every(5min).disabled(), "08:58"};

  EXPECT_EQ(tower.state().status, ScheduleStatus::disabled);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  tower.sleep_until("10:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created"));
}

TEST(Creating, enabled_later_it_begins_then) {
  Tower tower{a_schedule().every(5min).disabled(), "08:58"};
  tower.until("09:07");

  ASSERT_TRUE(tower.happens(enable()));
  EXPECT_EQ(tower.state().wake, moment("09:10"));
  tower.until("09:10");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "enabled", "09:10 started"));
}

TEST(Creating, with_nothing_to_come_it_is_done_at_once) {
  Tower tower{a_schedule().once(moment("08:00")), "09:00"};

  EXPECT_EQ(tower.state().status, ScheduleStatus::done);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Creating, without_a_spec_it_is_active_and_sleeps) {
  Tower tower{a_schedule().by_hand(), "09:00"};

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

TEST(Creating, enabling_is_refused_unless_disabled_and_the_other_way_round) {
  Tower active{a_schedule().every(5min), "09:00"};
  Tower disabled{a_schedule().every(5min).disabled(), "09:00"};

  EXPECT_EQ(active.happens(enable()).error().message, "Cannot enable schedule with status 'active'");
  EXPECT_EQ(disabled.happens(disable()).error().message, "Cannot disable schedule with status 'disabled'");
}

TEST(Creating, disabled_later_it_takes_back_what_nobody_has_claimed_and_gives_up_what_waits) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_all).missed(PauseMissed::buffer), "08:58"};
  tower.until("09:06");

  ASSERT_TRUE(tower.happens(disable()));

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 skipped(paused)", "09:05 skipped(paused)", "disabled"));
  EXPECT_EQ(tower.state().wake, std::nullopt);
}

}  // namespace
}  // namespace carillon::testing
