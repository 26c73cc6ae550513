// What is done in the moment of creation, and notes.
#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

Tower created_with(OnCreate first, const ScheduleBuilder& builder = a_schedule().every(5min)) {
  const Instant now = moment("08:58");
  return Tower{builder.definition(1, now), now, std::nullopt, std::move(first)};
}

TEST(OnCreate, a_pause_is_there_from_the_beginning) {
  Tower tower = created_with({.pause = OnCreate::Pause{.reason = "not yet", .until = moment("09:07")}});
  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().version, 1);
  EXPECT_EQ(tower.changes().back().reason, "not yet");

  tower.until("09:10");

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "paused", "09:00 … 09:05 (2) skipped(paused)", "resumed", "09:10 started"));
}

TEST(OnCreate, a_pause_that_is_over_is_refused) {
  const ScheduleBuilder builder = a_schedule().every(5min);
  const Definition definition = builder.definition(1, moment("08:58"));

  const auto transition = step(
      definition, ScheduleView{},
      Created{.by = "anna", .document = "{}", .first = OnCreate{.pause = OnCreate::Pause{.until = moment("08:00")}}},
      moment("08:58"));

  EXPECT_FALSE(transition);
}

TEST(OnCreate, a_trigger_starts_in_the_same_write_also_in_a_pause) {
  Tower tower = created_with({.pause = OnCreate::Pause{}, .trigger = OnCreate::Trigger{}});

  EXPECT_EQ(tower.state().version, 1);
  EXPECT_EQ(tower.started_count(), 1U);
  EXPECT_THAT(tower.triggers(), ElementsAre("create"));
}

TEST(OnCreate, backfills_begin_with_the_next_look) {
  Tower tower = created_with(
      {.backfills = {{.from = moment("08:00"), .to = moment("08:10")},
                     {.from = moment("07:00"), .to = moment("07:05"), .overlap = OverlapPolicy::allow_all}}});
  EXPECT_EQ(tower.state().version, 1);
  ASSERT_EQ(tower.backfills().size(), 2U);

  tower.look();

  EXPECT_EQ(tower.backfills()[0].id, "bf-create1");
  EXPECT_EQ(tower.backfills()[1].number, 2);
  EXPECT_EQ(tower.row("08:00").outcome, DecisionOutcome::started);
  EXPECT_EQ(tower.row("07:00").outcome, DecisionOutcome::started);
}

TEST(OnCreate, a_disabled_one_starts_only_what_it_is_told_to) {
  Tower tower = created_with({.trigger = OnCreate::Trigger{}}, a_schedule().every(5min).disabled());

  tower.until("09:30");

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(OnCreate, one_that_goes_on_after_a_deletion_does_nothing_again) {
  Tower before = created_with({.trigger = OnCreate::Trigger{}});
  ASSERT_TRUE(before.happens(erase()));
  const ScheduleBuilder builder = a_schedule().every(5min);
  const Instant now = moment("08:59");

  Tower tower{builder.definition(1, before.state().created_at), now, before.state(),
              OnCreate{.trigger = OnCreate::Trigger{}}};

  EXPECT_EQ(tower.started_count(), 0U);
}

TEST(Notes, a_pause_and_its_end_leave_one_until_the_next_edit) {
  Tower tower{a_schedule().every(5min), "08:58"};
  EXPECT_FALSE(tower.state().has_note);
  ASSERT_TRUE(tower.happens(Paused{.by = "anna"}));
  EXPECT_FALSE(tower.state().has_note);

  ASSERT_TRUE(tower.happens(Resumed{.by = "anna", .reason = "all is well"}));
  EXPECT_TRUE(tower.state().has_note);
  EXPECT_EQ(tower.changes().back().reason, "all is well");
  ASSERT_TRUE(tower.edit(a_schedule().every(10min)));

  EXPECT_FALSE(tower.state().has_note);
}

}  // namespace
}  // namespace carillon::testing
