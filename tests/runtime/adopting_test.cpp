#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using Outcome = AttemptOutcome;

class Adopting : public RuntimeTest {
 protected:
  static CommandAction immortal() {
    CommandAction command = bin_true();
    command.on_owner_loss = OnOwnerLoss::adopt;
    return command;
  }

  /// A run that another worker had when it died.
  void leave_one(const ScheduleBuilder& builder) {
    create(builder);
    clock.advance(5min);
    (void)decider.tick();
    left = memory.open_session("before", std::chrono::hours{24 * 365}).value();
    const auto claimed = memory.claim({.session = left, .queues = {"@command"}, .count_max = 1}).value();
    ASSERT_EQ(claimed.runs.size(), 1U);
    run = {claimed.runs[0].row.seq, 1};
  }
  static ScheduleBuilder one() { return a_command().action(immortal()); }

  void take_over(DetachedAttempt detached_attempt) {
    detached_attempt.key = run;
    detached_attempt.launched_at = nine + 5min;
    const auto taken = worker.take_over(left, std::vector{detached_attempt});
    ASSERT_TRUE(taken);
    ASSERT_THAT(*taken, ElementsAre(run));
  }

  SessionId left{};
  AttemptKey run;
};

TEST_F(Adopting, what_outlived_its_worker_is_resumed_and_its_end_recorded) {
  leave_one(one());
  take_over({});
  tick();

  EXPECT_THAT(executor.resumed, ElementsAre(run));
  EXPECT_THAT(executor.launches, IsEmpty());
  EXPECT_FALSE(worker.is_idle());
  attempts.output(run, OutputStream::out, "late words");
  attempts.ended(run, {.outcome = Outcome::succeeded, .exit_code = 0});
  tick();
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
  EXPECT_EQ(logs.text[run], "late words");
  EXPECT_THAT(executor.recorded_ends, ElementsAre(run));
  EXPECT_TRUE(worker.is_idle());
  EXPECT_FALSE(memory.heartbeat({.session = left, .launched = {}})) << "nobody needs the session any more";
}

TEST_F(Adopting, it_keeps_its_slot_and_is_never_called_lost) {
  leave_one(one());
  take_over({});
  pass(20min);

  EXPECT_THAT(ledger(), Contains("skipped").Times(4));
  EXPECT_THAT(ledger(), Not(Contains("attempt 1 lost")));
  EXPECT_THAT(executor.resumed, ElementsAre(run));
  EXPECT_THAT(executor.launches, IsEmpty());
}

TEST_F(Adopting, it_is_not_ended_when_the_worker_loses_a_lease_of_its_own) {
  leave_one(one());
  take_over({});
  tick();
  store.is_gone = true;
  pass(2min);
  store.is_gone = false;
  pass(10s);

  EXPECT_TRUE(log.has("worker lost its session"));
  EXPECT_THAT(executor.stops, IsEmpty());
  attempts.ended(run, {.outcome = Outcome::failed, .exit_code = 3});
  tick();
  EXPECT_THAT(ledger(), Contains("attempt 1 failed"));
}

TEST_F(Adopting, a_worker_that_is_stopped_before_its_first_turn_ends_it) {
  leave_one(one());
  take_over({});
  attempts.drain();
  worker.stop_all(Stop::cancel);

  tick();

  EXPECT_THAT(executor.resumed, ElementsAre(run));
  EXPECT_THAT(executor.stops, ElementsAre(Pair(run, Stop::cancel)));
}

TEST_F(Adopting, its_user_can_cancel_it) {
  leave_one(one());
  take_over({});
  tick();
  ASSERT_TRUE(commands.change(key(), Triggered{.by = "anna", .id = "now", .overlap = OverlapPolicy::cancel_other}));
  worker.session().look_for_stops();
  tick();

  EXPECT_THAT(executor.stops, ElementsAre(Pair(run, Stop::cancel)));
  attempts.ended(run, {.outcome = Outcome::cancelled, .signal = 15});
  tick();
  EXPECT_THAT(ledger(), Contains("attempt 1 cancelled"));
}

TEST_F(Adopting, a_request_to_end_it_that_came_before_reaches_it) {
  leave_one(one());
  ASSERT_TRUE(commands.change(key(), Triggered{.by = "anna", .id = "now", .overlap = OverlapPolicy::cancel_other}));
  (void)decider.tick();
  take_over({});
  tick();

  EXPECT_THAT(executor.resumed, ElementsAre(run));
  EXPECT_THAT(executor.stops, ElementsAre(Pair(run, Stop::cancel)));
}

TEST_F(Adopting, its_time_goes_on_running_out) {
  leave_one(one().with([](Policies& p) { p.timeout = 10min; }));
  take_over({.key = {}, .launched_at = {}, .timeout_at = clock.since_boot() + 4min});
  pass(3min);
  EXPECT_THAT(executor.stops, IsEmpty());
  pass(2min);

  EXPECT_THAT(executor.stops, Contains(Pair(run, Stop::cancel)));
  attempts.ended(run, {.outcome = Outcome::cancelled, .signal = 15});
  tick();
  EXPECT_THAT(ledger(), Contains("attempt 1 timed_out"));
}

TEST_F(Adopting, one_whose_time_ran_out_before_has_timed_out) {
  leave_one(one().with([](Policies& p) { p.timeout = 1min; }));
  take_over({.key = {}, .launched_at = {}, .stopped = StopCause::timeout});
  tick();
  attempts.ended(run, {.outcome = Outcome::cancelled, .signal = 15});
  tick();

  EXPECT_THAT(ledger(), Contains("attempt 1 timed_out"));
}

TEST_F(Adopting, one_that_a_dying_server_had_asked_to_end_is_cancelled) {
  leave_one(one());
  take_over({.key = {}, .launched_at = {}, .stopped = StopCause::request});
  tick();
  attempts.ended(run, {.outcome = Outcome::cancelled, .signal = 15});
  tick();

  EXPECT_THAT(ledger(), Contains("attempt 1 cancelled"));
}

TEST_F(Adopting, a_server_that_stops_at_once_resumes_it_to_end_it) {
  leave_one(one());
  take_over({});
  worker.stop_all(Stop::cancel);
  tick();

  EXPECT_THAT(executor.resumed, ElementsAre(run));
  EXPECT_THAT(executor.stops, ElementsAre(Pair(run, Stop::cancel)));
  attempts.ended(run, {.outcome = Outcome::cancelled, .signal = 15});
  tick();
  EXPECT_THAT(ledger(), Contains("attempt 1 cancelled"));
}

TEST_F(Adopting, what_its_session_does_not_hold_is_not_taken_over) {
  leave_one(one());
  const DetachedAttempt stranger{.key = {Seq{4711}, 1}, .launched_at = nine};

  const auto taken = worker.take_over(left, std::vector{stranger});

  ASSERT_TRUE(taken);
  EXPECT_THAT(*taken, IsEmpty());
  EXPECT_TRUE(worker.is_idle());
}

TEST_F(Adopting, a_command_that_may_outlive_its_server_is_launched_with_its_time_and_grace) {
  tick();
  create(one().with([](Policies& p) { p.timeout = 10min; }));
  pass(5min);

  ASSERT_EQ(executor.launches.size(), 1U);
  EXPECT_EQ(executor.launches[0].timeout_at, clock.since_boot() + 10min);
  EXPECT_GT(executor.launches[0].grace, 0s);
  attempts.launched(executor.launches[0].key);
  attempts.ended(executor.launches[0].key, {.outcome = Outcome::succeeded});
  tick();
  EXPECT_THAT(executor.recorded_ends, ElementsAre(executor.launches[0].key));
}

}  // namespace
}  // namespace carillon::testing
