#include "scheduling/server_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using StepContext = ServerTest;

TEST_F(StepContext, what_is_due_is_decided_and_planned_anew) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);

  const Round round = look();

  EXPECT_EQ(round.written, 1U);
  ASSERT_THAT(decisions(), SizeIs(1));
  EXPECT_EQ(decisions()[0].outcome, DecisionOutcome::started);
  EXPECT_EQ(state_of("tower").wake, nine + 10min);
}

TEST_F(StepContext, nothing_is_decided_before_it_is_due) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min - 1us);

  EXPECT_EQ(look().written, 0U);
  EXPECT_EQ(look().next_wake, nine + 5min);
}

TEST_F(StepContext, a_server_that_was_slower_finds_its_write_refused) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  Scheduling other{memory, definitions, 2};
  store.before_commit = [&] { EXPECT_EQ(other.decide_due({})->written, 1U); };

  const Round round = look();

  EXPECT_EQ(round.written, 0U);
  EXPECT_EQ(round.refused, 1U);
  EXPECT_THAT(decisions(), SizeIs(1));
}

TEST_F(StepContext, a_decision_whose_answer_was_lost_is_not_made_twice) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  store.loses_next_answer = true;

  EXPECT_EQ(server.decide_due({}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(look().written, 0U);

  EXPECT_THAT(decisions(), SizeIs(1));
}

TEST_F(StepContext, started_runs_are_handed_to_the_servers_own_workers_in_the_same_transaction) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  session = memory.open_session("worker", 30s).value();

  const auto round = server.decide_due({}, ClaimRequest{.session = session, .queues = {"@command"}, .count_max = 5});

  ASSERT_THAT(round->claimed, SizeIs(1));
  EXPECT_EQ(round->claimed[0].row.run.attempt, 1);
  EXPECT_THAT(claim_all(), IsEmpty());
}

TEST_F(StepContext, one_schedule_that_cannot_be_written_is_set_aside_alone) {
  for (int i = 0; i < 9; ++i) {
    auto builder = a_schedule().every(5min);
    ASSERT_TRUE(server.create(builder.id(i == 4 ? "poison" : "fine-" + std::to_string(i)).document(), "anna", 100 + i));
  }
  const Uid poison = state_of("poison").uid;
  clock.advance(5min);
  store.is_unwritable = [&](const Transition& transition) { return transition.next.uid == poison; };

  const Round round = look();

  EXPECT_EQ(round.written, 8U);
  EXPECT_EQ(round.quarantined, 1U);
  EXPECT_EQ(memory.read_quarantine(poison).value(), "the row is too long");
  EXPECT_EQ(look().written, 0U) << "it sleeps";
}

TEST_F(StepContext, a_quarantine_ends_when_it_can_be_written_again) {
  ASSERT_TRUE(server.create(a_schedule().every(5min).document(), "anna", request));
  clock.advance(5min);
  store.is_unwritable = [](const Transition&) { return true; };
  EXPECT_EQ(look().quarantined, 1U);
  store.is_unwritable = nullptr;

  clock.advance(1min);
  EXPECT_EQ(look().written, 1U);

  EXPECT_EQ(memory.read_quarantine(state_of("tower").uid).value(), std::nullopt);
}

TEST_F(StepContext, a_schedule_whose_zone_is_unknown_here_is_set_aside_and_never_runs_in_utc) {
  ASSERT_TRUE(server.adopt_zone_rules());
  auto document = a_schedule().cron("*/5 * * * *").document();
  document.spec.timezone = "Europe/Berlin";
  ASSERT_TRUE(server.create(document, "anna", request));
  FixedZoneSource no_zones;
  no_zones.forget("Europe/Berlin");
  DefinitionCache other_definitions{store, no_zones, rules_2026b};
  Scheduling other{store, other_definitions, 2};
  clock.advance(5min);

  const auto round = other.decide_due({});

  EXPECT_EQ(round->quarantined, 1U);
  EXPECT_THAT(decisions(), IsEmpty());
}

TEST_F(StepContext, a_long_backfill_is_looked_up_in_parts_and_leaves_nothing_out) {
  ASSERT_TRUE(server.create(a_schedule().every(1min).overlap(OverlapPolicy::allow_all).document(), "anna", request));
  Backfill backfill;
  backfill.id = "b1";
  backfill.from = nine - 2500min;
  backfill.to = nine;
  backfill.concurrency = 1000;
  ASSERT_TRUE(server.change(key("tower"), BackfillRequested{.by = "anna", .backfill = backfill}, request + 1));

  for (int i = 0; i < 100 && state_of("tower").wake == clock.now(); ++i) (void)look();
  EXPECT_THAT(decisions(), SizeIs(1000)) << "as many as run at once";

  for (int i = 0; i < 3; ++i) {
    while (true) {
      std::vector<Finish> finishes;
      for (const ClaimedRun& run : claim_all()) finishes.push_back({.run = run.row});
      if (finishes.empty()) break;
      ASSERT_TRUE(finisher.finish(finishes));
    }
    for (int k = 0; k < 10; ++k) (void)look();
  }
  EXPECT_THAT(decisions(), SizeIs(2500));
}

}  // namespace
}  // namespace carillon::testing
