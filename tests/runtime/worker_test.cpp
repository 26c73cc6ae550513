#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Kind = AttemptEnd::Kind;

class WorkerTest : public RuntimeTest {
 protected:
  /// One run is being performed.
  void run_one(const ScheduleBuilder& builder) {
    tick();
    create(builder);
    pass(5min);
    ASSERT_THAT(executor.launches, SizeIs(1));
  }
};

TEST_F(WorkerTest, a_due_schedule_is_launched_at_once_and_its_end_recorded) {
  run_one(a_command());

  EXPECT_EQ(executor.launches[0].envelope.run_name, "tower@2027-03-01T09:05:00Z");
  EXPECT_EQ(executor.launches[0].envelope.attempt, 1);
  EXPECT_GT(executor.launches[0].launch_before, clock.since_boot());
  end_newest({.kind = Kind::succeeded, .exit_code = 0});

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
  EXPECT_TRUE(worker.is_idle());
  EXPECT_EQ(told_count, 1) << "somebody may be waiting for the slot";
}

TEST_F(WorkerTest, no_more_than_its_capacity_runs_at_a_time) {
  tick();
  for (int i = 0; i < 5; ++i) create(a_command().id(fmt::format("tower-{}", i)));
  pass(5min);

  EXPECT_THAT(executor.launches, SizeIs(3));
  end_newest({.kind = Kind::succeeded});

  EXPECT_THAT(executor.launches, SizeIs(4));
}

TEST_F(WorkerTest, what_has_ended_makes_room_before_its_end_is_written) {
  tick();
  for (int i = 0; i < 9; ++i) create(a_command().id(fmt::format("tower-{}", i)));
  store.refuses_ends = true;
  pass(5min);
  ASSERT_THAT(executor.launches, SizeIs(3));

  end_newest({.kind = Kind::succeeded});
  EXPECT_THAT(executor.launches, SizeIs(4));

  for (int i = 0; i < 9; ++i) end_newest({.kind = Kind::succeeded});
  EXPECT_THAT(executor.launches, SizeIs(6)) << "ends that cannot be told do not pile up";
  store.refuses_ends = false;
  pass(10s);
  EXPECT_THAT(executor.launches, SizeIs(7)) << "two of the first still run";
}

TEST_F(WorkerTest, a_failed_attempt_is_tried_again_after_its_back_off) {
  run_one(a_command());
  end_newest({.kind = Kind::failed, .exit_code = 3});
  EXPECT_THAT(executor.launches, SizeIs(1));

  pass(1min);

  ASSERT_THAT(executor.launches, SizeIs(2));
  EXPECT_EQ(executor.launches[1].envelope.attempt, 2);
  EXPECT_GT(executor.launches[1].envelope.fence, executor.launches[0].envelope.fence);
}

TEST_F(WorkerTest, one_that_takes_too_long_is_asked_to_end_and_then_ended_by_force) {
  run_one(a_command().with([](Policies& p) {
    p.timeout = 30s;
    p.grace = 10s;
    p.retry.attempt_count_max = 1;
  }));
  const AttemptKey attempt = executor.launches[0].key;

  pass(29s);
  EXPECT_THAT(executor.stops, IsEmpty());
  pass(1s);
  EXPECT_THAT(executor.stops, ElementsAre(Pair(attempt, Stop::cancel)));
  pass(10s);
  EXPECT_THAT(executor.stops, ElementsAre(Pair(attempt, Stop::cancel), Pair(attempt, Stop::terminate)));
  end_newest({.kind = Kind::stopped, .signal = 9});

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 timed_out"));
}

TEST_F(WorkerTest, a_cancelled_run_is_asked_to_stop_as_soon_as_somebody_says_so) {
  run_one(a_command());
  ASSERT_TRUE(wishes.change(key(), CancelRequested{.run = executor.launches[0].key.run}));

  worker.look_for_stops();
  tick();

  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
  end_newest({.kind = Kind::stopped, .signal = 15});
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 cancelled"));
}

TEST_F(WorkerTest, one_that_stands_in_the_way_of_the_next_is_asked_to_stop_at_once) {
  run_one(a_command().overlap(OverlapPolicy::cancel_other));

  pass(5min);

  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
}

TEST_F(WorkerTest, what_runs_for_a_while_is_seen_to_have_been_launched) {
  run_one(a_command());
  worker.launched(executor.launches[0].key);

  pass(1s);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 launched"));
}

TEST_F(WorkerTest, the_lease_is_renewed_in_time_and_executors_know_how_long_it_lasts) {
  run_one(a_command());
  const Duration before = executor.lease_end;

  for (int i = 0; i < 60; ++i) pass(1s);

  EXPECT_GE(executor.lease_end, before + 50s);
  EXPECT_GT(executor.lease_end, clock.since_boot() + 15s);
  EXPECT_THAT(executor.stops, IsEmpty());
}

TEST_F(WorkerTest, when_the_lease_cannot_be_renewed_everything_is_ended_before_others_may_take_over) {
  run_one(a_command());
  store.is_gone = true;

  for (int i = 0; i < 27; ++i) pass(1s);
  EXPECT_THAT(executor.stops, IsEmpty());
  for (int i = 0; i < 2; ++i) pass(1s);

  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::terminate)));
  EXPECT_TRUE(log.has("worker lost its session"));
  store.is_gone = false;
  worker.ended(executor.launches[0].key, {.kind = Kind::stopped});
  for (int i = 0; i < 10; ++i) pass(1s);
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 lost"));
}

TEST_F(WorkerTest, an_end_that_cannot_be_told_is_told_later) {
  run_one(a_command());
  store.is_gone = true;
  end_newest({.kind = Kind::succeeded});
  EXPECT_FALSE(worker.is_idle());
  store.is_gone = false;

  pass(1s);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
  EXPECT_TRUE(worker.is_idle());
}

TEST_F(WorkerTest, an_end_whose_answer_was_lost_is_not_counted_twice) {
  run_one(a_command());
  store.loses_next_finish = true;
  end_newest({.kind = Kind::succeeded});

  pass(1s);

  EXPECT_TRUE(worker.is_idle());
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
}

TEST_F(WorkerTest, runs_whose_claim_was_not_heard_of_are_found_and_launched_once) {
  tick();
  create(a_command());
  store.loses_next_commit = true;
  pass(5min);
  pass(1s);

  EXPECT_THAT(executor.launches, SizeIs(1));
  end_newest({.kind = Kind::succeeded});
  pass(30s);
  EXPECT_THAT(executor.launches, SizeIs(1));
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
}

TEST_F(WorkerTest, output_goes_to_the_log_which_is_complete_when_the_end_is_told) {
  run_one(a_command());
  const AttemptKey attempt = executor.launches[0].key;
  worker.output(attempt, OutputStream::out, "one ");
  worker.output(attempt, OutputStream::error, "two");
  end_newest({.kind = Kind::succeeded});

  EXPECT_EQ(logs.text[attempt], "one two");
  EXPECT_TRUE(logs.closed.contains(attempt));
}

TEST_F(WorkerTest, the_result_of_a_success_is_given_to_the_next_run) {
  run_one(a_command());
  end_newest({.kind = Kind::succeeded, .result = "{\"rows\":3}"});

  pass(5min);

  EXPECT_EQ(executor.launches.back().envelope.last_result, "{\"rows\":3}");
}

TEST_F(WorkerTest, an_action_nobody_performs_here_fails_with_a_reason) {
  worker.use(Executors{}, nullptr, nullptr);
  tick();
  create(a_command().with([](Policies& p) { p.retry.attempt_count_max = 1; }));

  pass(5min);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 failed"));
}

TEST_F(WorkerTest, a_worker_that_drains_claims_nothing_and_records_what_it_cancels) {
  run_one(a_command());
  worker.drain();
  pass(5min);
  EXPECT_THAT(executor.launches, SizeIs(1));

  worker.stop_all(Stop::cancel);
  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
  end_newest({.kind = Kind::stopped, .signal = 15});

  EXPECT_TRUE(worker.is_idle());
  EXPECT_EQ(ledger()[1], "attempt 1 cancelled");
}

}  // namespace
}  // namespace carillon::testing
