#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ZoneEdition first_edition{2027 * 32 + 1};
constexpr ZoneEdition second_edition{2027 * 32 + 2};

// Clocks go forward an hour at noon, in UTC, of 1 March 2027.
ZonePtr summer_time() { return zone_with_change("2027-03-01T12:00:00Z", 0, 3600); }
// The government has thought better of it.
ZonePtr no_summer_time() {
  return Zone::make("Test/Change", {{.begin = second_at("1900-01-01T00:00:00Z"), .offset = 0, .abbreviation = "OLD"}})
      .value();
}

// From now on the schedule is decided by other rules.
void change_rules(Tower& tower, ScheduleBuilder builder) {
  tower.use(builder.definition(tower.state().revision, tower.state().created_at));
  EXPECT_TRUE(tower.happens(ZoneRulesChanged{}));
}

ScheduleBuilder under_first(ScheduleBuilder builder, const ZonePtr& zone) {
  return builder.in(zone).edition(first_edition);
}
ScheduleBuilder under_second(ScheduleBuilder builder, const ZonePtr& zone) {
  return builder.in(zone).edition(second_edition);
}

TEST(ZoneRules, a_local_time_that_was_decided_is_not_repeated) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, summer_time()), "11:00"};
  tower.until("13:00");
  tower.finish("13:00");
  tower.until("13:10");

  change_rules(tower, under_second(at_two, no_summer_time()));
  tower.until("23:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "13:00 started", "14:00 skipped(clock)"));
  EXPECT_EQ(tower.state().wake, moment("2027-03-02T14:00:00Z"));
}

TEST(ZoneRules, a_clock_that_is_set_back_does_not_repeat_a_local_time_either) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, summer_time()), "11:00"};
  tower.until("13:00");
  tower.finish("13:00");
  tower.until("13:10");
  change_rules(tower, under_second(at_two, no_summer_time()));

  tower.set_clock(moment("13:09"));
  ASSERT_TRUE(tower.happens(ClockSetBack{}));
  tower.until("23:00");

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(ZoneRules, a_local_time_that_was_not_decided_yet_moves_with_the_rules) {
  const auto at_four = a_schedule().cron("0 16 * * *");
  Tower tower{under_first(at_four, summer_time()), "11:00"};
  EXPECT_EQ(tower.state().wake, moment("15:00"));
  tower.until("13:10");

  change_rules(tower, under_second(at_four, no_summer_time()));
  EXPECT_EQ(tower.state().wake, moment("16:00"));
  tower.until("16:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "16:00 started"));
}

TEST(ZoneRules, a_local_time_that_the_new_rules_put_into_the_past_is_caught_up) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, no_summer_time()), "11:00"};
  tower.until("13:10");

  change_rules(tower, under_second(at_two, summer_time()));
  tower.until("23:00");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "13:00 catchup started"));
}

TEST(ZoneRules, a_local_time_that_the_new_rules_put_before_the_definition_is_not_caught_up) {
  const auto after_two = a_schedule().cron("20 14 * * *");
  Tower tower{under_first(after_two, no_summer_time()), "11:00"};
  tower.until("13:40");
  ASSERT_TRUE(tower.edit(under_first(after_two, no_summer_time())));
  tower.until("13:50");
  (void)tower.new_lines();

  change_rules(tower, under_second(after_two, summer_time()));
  tower.until("23:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("13:20 catchup skipped(clock)"));
}

TEST(ZoneRules, clocks_that_go_forward_repeat_nothing) {
  const auto hourly = a_schedule().cron("0 * * * *").overlap(OverlapPolicy::allow_all);
  Tower tower{under_first(hourly, no_summer_time()), "11:30"};
  tower.until("13:10");
  (void)tower.new_lines();

  change_rules(tower, under_second(hourly, summer_time()));
  tower.until("15:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("14:00 started", "15:00 started"));
}

TEST(ZoneRules, what_is_counted_from_a_fixed_moment_does_not_care) {
  const auto half_hourly = a_schedule().every(30min).overlap(OverlapPolicy::allow_all);
  Tower tower{under_first(half_hourly, summer_time()), "12:40"};
  tower.until("13:10");
  (void)tower.new_lines();

  change_rules(tower, under_second(half_hourly, no_summer_time()));
  tower.until("14:00");

  EXPECT_THAT(tower.new_lines(), ElementsAre("13:30 started", "14:00 started"));
}

TEST(ZoneRules, an_interval_beside_a_cron_is_not_lost_without_a_word) {
  const auto both = a_schedule().cron("0 14 * * *").every(30min).overlap(OverlapPolicy::allow_all);
  Tower tower{under_first(both, summer_time()), "12:40"};
  tower.until("13:10");
  (void)tower.new_lines();

  change_rules(tower, under_second(both, no_summer_time()));
  tower.until("14:30");

  EXPECT_THAT(tower.new_lines(), ElementsAre("13:30 … 14:00 (2) skipped(clock)", "14:30 started"));
}

TEST(ZoneRules, the_state_says_which_edition_it_was_decided_under) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, summer_time()), "11:00"};
  EXPECT_EQ(tower.state().zone_edition, first_edition);

  change_rules(tower, under_second(at_two, summer_time()));

  EXPECT_EQ(tower.state().zone_edition, second_edition);
}

TEST(ZoneRules, an_edition_that_changes_nothing_for_it_changes_nothing) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, summer_time()), "11:00"};
  tower.until("13:10");
  (void)tower.new_lines();
  const auto wake = tower.state().wake;

  change_rules(tower, under_second(at_two, summer_time()));

  EXPECT_THAT(tower.new_lines(), IsEmpty());
  EXPECT_EQ(tower.state().wake, wake);
}

TEST(ZoneRules, a_schedule_in_utc_depends_on_no_edition) {
  Tower tower{a_schedule().cron("0 14 * * *").edition(first_edition), "11:00"};

  EXPECT_EQ(tower.state().zone_edition, ZoneEdition::none);
}

TEST(ZoneRules, a_paused_schedule_takes_the_new_rules_and_stays_paused) {
  const auto at_two = a_schedule().cron("0 14 * * *");
  Tower tower{under_first(at_two, summer_time()), "11:00"};
  ASSERT_TRUE(tower.happens(pause()));
  tower.until("13:10");

  change_rules(tower, under_second(at_two, no_summer_time()));

  EXPECT_EQ(tower.state().status, ScheduleStatus::paused);
  EXPECT_EQ(tower.state().wake, std::nullopt);
  EXPECT_EQ(tower.started_count(), 0U);
}

}  // namespace
}  // namespace carillon::testing
