#include "scheduling/server_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ZoneRules : public ServerTest {
 protected:
  void SetUp() override { ASSERT_TRUE(server.adopt_zone_rules()); }

  static ScheduleDocument at_half_past_nine_in_berlin() {
    auto document = a_schedule().cron("30 10 * * *").document();
    document.spec.timezone = "Europe/Berlin";
    return document;
  }

  DefinitionCache newer_definitions{store, zones, rules_2027a};
  Scheduling newer_server{store, newer_definitions, 2};
};

TEST_F(ZoneRules, a_server_with_other_rules_does_not_decide_zoned_schedules) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));
  ASSERT_TRUE(server.create(a_schedule().every(30min).id("interval").document(), "anna", request + 1));
  clock.advance(30min);

  EXPECT_EQ(newer_server.decide_due({})->written, 1U);

  ASSERT_THAT(decisions(), SizeIs(1));
  EXPECT_EQ(decisions()[0].head.schedule.text(), "interval");
  EXPECT_EQ(look().written, 1U);
}

TEST_F(ZoneRules, newer_rules_take_over_and_older_servers_stand_back) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));

  EXPECT_EQ(newer_server.adopt_zone_rules().value(), 1U);
  clock.advance(30min);

  EXPECT_EQ(look().written, 0U);
  EXPECT_EQ(newer_server.decide_due({})->written, 1U);
  EXPECT_EQ(server.adopt_zone_rules().value(), 0U) << "older rules never come back";
}

TEST_F(ZoneRules, a_command_at_a_server_with_other_rules_is_refused) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));

  const auto paused = newer_server.change(key("tower"), Paused{.by = "anna"}, request + 1);

  EXPECT_EQ(paused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(state_of("tower").status, ScheduleStatus::active);
}

TEST_F(ZoneRules, a_schedule_that_was_forgotten_is_brought_to_the_rules_when_it_is_due) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));
  ASSERT_TRUE(memory.adopt_zone_edition(rules_2026b, rules_2027a).value());
  clock.advance(30min);

  while (newer_server.decide_due({})->written > 0) continue;

  EXPECT_EQ(state_of("tower").zone_edition, rules_2027a);
  EXPECT_THAT(decisions(), SizeIs(1));
}

TEST_F(ZoneRules, a_command_for_a_deleted_schedule_is_refused_also_after_the_rules_changed) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));
  ASSERT_TRUE(server.change(key("tower"), Deleted{.by = "anna"}, request + 1));
  ASSERT_TRUE(newer_server.adopt_zone_rules());

  const auto triggered = newer_server.change(key("tower"), Triggered{.by = "anna", .id = "t1"}, request + 2);

  EXPECT_EQ(triggered.error().code, ErrorCode::not_found);
}

TEST_F(ZoneRules, a_command_that_meets_a_decision_while_the_rules_change_is_executed) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));
  ASSERT_TRUE(memory.adopt_zone_edition(rules_2026b, rules_2027a).value());
  // The move to the new rules is refused because a user of an older server came between.
  store.before_commit = [&] {
    Transition other;
    other.next = state_of("tower");
    ++other.next.version;
    other.decided_under = other.next.revision;
    ASSERT_TRUE(memory.commit({.writer = {}, .transitions = std::span{&other, 1}}));
  };

  ASSERT_TRUE(newer_server.change(key("tower"), Paused{.by = "anna"}, request + 1));

  EXPECT_EQ(state_of("tower").status, ScheduleStatus::paused);
}

TEST_F(ZoneRules, skips_of_a_future_that_never_was_are_opened_again) {
  ASSERT_TRUE(server.create(a_schedule().every(1h).catchup(CatchupPolicy::none).document(), "anna", request));
  clock.advance(30 * 24h + 30min);
  (void)look();
  ASSERT_EQ(state_of("tower").skipped_until, nine + 30 * 24h);
  clock.set_wall(nine + 10min);

  EXPECT_EQ(server.reopen_future(nine + 30 * 24h + 30min).value(), 1U);

  EXPECT_EQ(state_of("tower").wake, nine + 1h);
  const auto lines = ledger();
  const auto* voided = std::get_if<VoidLine>(&lines.back());
  ASSERT_TRUE(voided);
  EXPECT_EQ(voided->from, nine + 1h);
  EXPECT_EQ(voided->to, nine + 30 * 24h);
}

TEST_F(ZoneRules, what_started_stands_though_by_its_jitter_it_is_not_due_again_yet) {
  auto document = a_schedule().every(1h).catchup(CatchupPolicy::none).document();
  document.spec.jitter = 30min;
  ASSERT_TRUE(server.create(document, "anna", request));
  const Instant due = state_of("tower").wake.value();
  ASSERT_GT(due, nine + 1h + 1s);
  clock.set_wall(due);
  (void)look();
  clock.set_wall(nine + 3h + 30min);
  (void)look();
  clock.set_wall(due - 1s);

  EXPECT_EQ(server.reopen_future(nine + 3h + 30min).value(), 1U);

  const auto lines = ledger();
  const auto* voided = std::get_if<VoidLine>(&lines.back());
  ASSERT_TRUE(voided);
  EXPECT_EQ(voided->from, nine + 2h);
}

TEST_F(ZoneRules, what_a_clock_that_was_ahead_set_aside_is_looked_at_soon) {
  ASSERT_TRUE(server.create(a_schedule().every(1h).document(), "anna", request));
  clock.advance(5h);
  store.is_unwritable = [](const Transition&) { return true; };
  ASSERT_EQ(look().quarantined, 1U);
  store.is_unwritable = nullptr;
  clock.set_wall(nine + 10min);

  EXPECT_EQ(server.reopen_future(nine + 5h).value(), 1U);

  EXPECT_EQ(state_of("tower").wake, nine + 1h);
}

TEST_F(ZoneRules, a_server_that_starts_after_the_clock_was_set_back_knows_that_it_was_ahead) {
  ASSERT_TRUE(server.create(a_schedule().every(1h).catchup(CatchupPolicy::none).document(), "anna", request));
  clock.advance(5h + 30min);
  (void)look();
  clock.set_wall(nine + 10min);

  EXPECT_EQ(newer_server.reopen_future(instant_min).value(), 1U);

  EXPECT_EQ(state_of("tower").wake, nine + 1h);
}

TEST_F(ZoneRules, rules_to_which_all_were_brought_are_settled) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));

  EXPECT_EQ(newer_server.adopt_zone_rules().value(), 1U);

  EXPECT_EQ(memory.read_page(Uid{}, 0)->settled_edition, rules_2027a);
  EXPECT_EQ(newer_server.adopt_zone_rules().value(), 0U);
}

TEST_F(ZoneRules, rules_to_which_not_all_could_be_brought_are_not_settled) {
  ASSERT_TRUE(server.create(at_half_past_nine_in_berlin(), "anna", request));
  store.is_unwritable = [](const Transition&) { return true; };

  ASSERT_TRUE(newer_server.adopt_zone_rules());

  EXPECT_NE(memory.read_page(Uid{}, 0)->settled_edition, rules_2027a);
}

TEST_F(ZoneRules, nothing_is_touched_when_nothing_is_ahead) {
  ASSERT_TRUE(server.create(a_schedule().every(1h).document(), "anna", request));

  EXPECT_EQ(server.reopen_future(nine).value(), 0U);
  EXPECT_THAT(decisions(), IsEmpty());
}

}  // namespace
}  // namespace carillon::testing
