#include "engine/retry_delay.hpp"
#include "schedule_machine/user_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

// What the systems before this one got wrong, and this one must not. Two kinds are missing here because no pure
// function can have them: a lock that is checked and then written (the store compares the version in the write itself,
// tests/conformance), and a state that is recreated empty when it cannot be read, or read in full at every tick (the
// stores' own tests).

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SeedTraps, exponential_back_off_is_not_linear) {
  Policies::Retry retry;
  retry.backoff = Backoff::exponential;
  retry.initial = 1min;
  retry.factor = 2;

  EXPECT_EQ(retry_delay(retry, 1, 0), 1min);
  EXPECT_EQ(retry_delay(retry, 2, 0), 2min);
  EXPECT_EQ(retry_delay(retry, 3, 0), 4min);
  EXPECT_EQ(retry_delay(retry, 4, 0), 8min);
}

TEST(SeedTraps, four_attempts_are_four_launches_and_three_retries) {
  RunRules rules;
  rules.retry.attempt_count_max = 4;
  carillon::Run run = queued_run(rules, moment("09:00"));
  int launches = 0;
  int retries = 0;

  while (!is_terminal(run.state)) {
    const Instant now = run.claimable_from;
    run = launch(claim(run, now).value(), run.attempt + 1, now).value();
    ++launches;
    run = finish(run, run.attempt, AttemptOutcome::failed, rules, now, 0).value();
    retries += run.state == RunState::retrying;
  }

  EXPECT_EQ(launches, 4);
  EXPECT_EQ(retries, 3);
  EXPECT_EQ(run.state, RunState::failed);
}

TEST(SeedTraps, an_interval_does_not_drift_however_late_it_is_looked_at) {
  Tower tower{a_schedule()
                  .spec([](Spec& spec) { spec.intervals = {{.every = 5min, .anchor = Anchor::creation}}; })
                  .overlap(OverlapPolicy::allow_all),
              "08:57:30"};

  for (const std::string_view look : {"09:02:37", "09:08:15", "09:12:30", "09:18:29"}) tower.sleep_until(look);

  EXPECT_THAT(tower.ledger(),
              ElementsAre("created", "09:02:30 started", "09:07:30 started", "09:12:30 started", "09:17:30 started"));
  EXPECT_EQ(tower.state().wake, moment("09:22:30"));
}

TEST(SeedTraps, an_interval_does_not_drift_with_the_length_of_its_runs) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.set_clock(moment("09:03:21"));
  tower.finish("09:00");

  EXPECT_EQ(tower.state().wake, moment("09:05"));
}

TEST(SeedTraps, a_skipped_overlap_has_a_row_of_its_own) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.until("09:00");
  tower.launch("09:00");
  const carillon::Run before = tower.rows()[0].run;

  tower.until("09:10");

  std::set<std::int64_t> seqs;
  std::set<Instant> nominals;
  for (const Tower::Row& row : tower.rows()) {
    seqs.insert(row.seq);
    nominals.insert(row.nominal);
  }
  EXPECT_THAT(seqs, SizeIs(3));
  EXPECT_THAT(nominals, SizeIs(3));
  EXPECT_EQ(tower.rows()[0].run, before);
  EXPECT_THAT(tower.orders(), IsEmpty());
}

TEST(SeedTraps, no_lost_message_ends_the_chain) {
  Tower tower{a_schedule().every(5min).overlap(OverlapPolicy::buffer_one), "08:58"};
  tower.until("09:05");
  tower.row("09:00").run.state = RunState::succeeded;  // and nobody was told

  tower.sleep_until("09:10");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started", "09:05 started", "09:10 waiting"));
  EXPECT_EQ(tower.state().wake, moment("09:15"));
}

TEST(SeedTraps, a_server_that_dies_between_two_occurrences_is_not_needed_for_the_next) {
  Tower tower{a_schedule().every(5min), "08:58"};
  const ScheduleState before = tower.state();

  const auto by_one = step(tower.definition(), tower.view(), BecameDue{}, moment("09:00"));
  const auto by_another = step(tower.definition(), tower.view(), BecameDue{}, moment("09:00"));

  ASSERT_TRUE(by_one);
  ASSERT_TRUE(by_another);
  EXPECT_EQ(by_one->next, by_another->next);
  EXPECT_TRUE(std::ranges::equal(by_one->decisions, by_another->decisions));
  EXPECT_EQ(tower.state(), before);
}

TEST(SeedTraps, a_start_that_could_not_be_written_is_still_to_come) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.set_clock(moment("09:00"));
  ASSERT_TRUE(step(tower.definition(), tower.view(), BecameDue{}, tower.now()));
  EXPECT_EQ(tower.state().wake, moment("09:00"));

  tower.until("09:00:20");

  EXPECT_THAT(tower.ledger(), ElementsAre("created", "09:00 started"));
}

TEST(SeedTraps, a_start_and_the_state_that_knows_of_it_are_one_thing) {
  Tower tower{a_schedule().every(5min), "08:58"};

  const auto decided = step(tower.definition(), tower.view(), BecameDue{}, moment("09:00"));

  ASSERT_TRUE(decided);
  ASSERT_THAT(decided->decisions, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<Starts>(decided->decisions[0].verdict));
  EXPECT_EQ(decided->decisions[0].nominal, decided->next.cursor);
  EXPECT_EQ(decided->next.counts.runs, 1);
  EXPECT_EQ(decided->next.wake, moment("09:05"));
}

TEST(SeedTraps, the_bound_of_one_step_does_not_bound_what_is_decided_in_time) {
  Tower tower{a_schedule().every(1s).overlap(OverlapPolicy::allow_all).with([](Policies& p) { p.catchup.grace = 2h; }),
              "09:00:00"};
  tower.set_clock(moment("10:00:00"));
  std::size_t steps = 0;

  do {
    ASSERT_TRUE(tower.happens(BecameDue{}));
    ++steps;
  } while (tower.state().wake == tower.now());

  EXPECT_EQ(tower.started_count(), 3600U);
  EXPECT_EQ(steps, 4U);
}

TEST(SeedTraps, what_was_due_when_it_was_read_is_not_written_when_it_no_longer_is) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.set_clock(moment("09:00"));
  const auto stale = step(tower.definition(), tower.view(), BecameDue{}, tower.now());
  ASSERT_TRUE(stale);
  tower.look();

  EXPECT_FALSE(tower.commit(*stale, BecameDue{}));

  EXPECT_EQ(tower.started_count(), 1U);
}

TEST(SeedTraps, what_was_due_before_a_pause_is_not_started_after_it) {
  Tower tower{a_schedule().every(5min), "08:58"};
  tower.set_clock(moment("09:00"));
  const auto stale = step(tower.definition(), tower.view(), BecameDue{}, tower.now());
  ASSERT_TRUE(stale);
  ASSERT_TRUE(tower.happens(pause()));

  EXPECT_FALSE(tower.commit(*stale, BecameDue{}));

  EXPECT_EQ(tower.started_count(), 0U);
}

TEST(SeedTraps, registering_does_not_fire) {
  for (const auto& builder : {a_schedule().every(5min), a_schedule().cron("* * * * *"), a_schedule().every(1h)}) {
    Tower tower{builder, "09:00"};

    tower.look();

    EXPECT_EQ(tower.started_count(), 0U);
    EXPECT_GT(tower.state().wake, moment("09:00"));
  }
}

TEST(SeedTraps, a_late_start_keeps_its_nominal_time) {
  Tower tower{a_schedule().every(1h), "08:58"};

  tower.sleep_until("09:17:43");

  EXPECT_EQ(tower.rows()[0].nominal, moment("09:00"));
  EXPECT_EQ(tower.rows()[0].run.queued_at, moment("09:17:43"));
  EXPECT_EQ(tower.state().cursor, moment("09:00"));
}

TEST(SeedTraps, catching_up_does_not_flood) {
  Tower tower{a_schedule().every(1min).overlap(OverlapPolicy::allow_all).catchup(CatchupPolicy::all),
              "2027-01-01T00:00:30Z"};

  tower.sleep_until("2029-01-01T00:00:30Z");

  EXPECT_LE(tower.started_count(), 1'002U);
  EXPECT_THAT(tower.ranges(), SizeIs(1));
  EXPECT_EQ(tower.ranges()[0].reason, SkipReason::quota);
}

TEST(SeedTraps, no_gap_is_so_long_that_the_schedule_falls_silent) {
  Tower tower{a_schedule().every(1s), "2027-01-01T00:00:00Z"};

  tower.sleep_until("2057-01-01T00:00:00.5Z");

  EXPECT_EQ(tower.state().status, ScheduleStatus::active);
  EXPECT_EQ(tower.state().wake, moment("2057-01-01T00:00:01Z"));
  EXPECT_GE(tower.started_count(), 1U);
}

}  // namespace
}  // namespace carillon::testing
