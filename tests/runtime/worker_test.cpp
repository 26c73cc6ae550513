#include "runtime/runtime_fixture.hpp"

#include <gmock/gmock.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using Outcome = AttemptOutcome;

class WorkerTest : public RuntimeTest {
 protected:
  /// One run is being performed.
  void run_one(const ScheduleBuilder& builder) {
    tick();
    create(builder);
    pass(5min);
    ASSERT_THAT(executor.launches, SizeIs(1));
  }
  /// Ends without having been launched.
  void postpone_newest(AttemptEnd end) {
    attempts.ended(executor.launches.back().key, std::move(end));
    tick();
  }
};

TEST_F(WorkerTest, a_due_schedule_is_launched_at_once_and_its_end_recorded) {
  run_one(a_command());

  EXPECT_EQ(executor.launches[0].envelope.run_name, "tower@2027-03-01T09:05:00Z");
  EXPECT_EQ(executor.launches[0].envelope.attempt, 1);
  EXPECT_GT(executor.launches[0].launch_before, clock.since_boot());
  end_newest({.outcome = Outcome::succeeded, .exit_code = 0});

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
  EXPECT_TRUE(worker.is_idle());
}

TEST_F(WorkerTest, an_attempt_is_launched_and_ends_no_earlier_than_it_was_claimed) {
  store.pulse_delay = 2s;

  run_one(a_command());
  end_newest({.outcome = Outcome::succeeded});

  const auto records = memory.read_ledger(Seq{}, 10).value();
  const auto& attempt = std::get<AttemptLine>(records.back());
  EXPECT_EQ(attempt.launched_at, attempt.claimed_at);
  EXPECT_EQ(attempt.ended_at, attempt.claimed_at);
}

TEST_F(WorkerTest, the_end_of_a_run_that_its_schedule_waits_for_wakes_the_schedule) {
  run_one(a_command().overlap(OverlapPolicy::buffer_one));
  pass(5min);
  ASSERT_THAT(executor.launches, SizeIs(1)) << "the next one waits for the slot";
  attempts.launched(executor.launches[0].key);
  attempts.ended(executor.launches[0].key, {.outcome = Outcome::succeeded});
  const int before = wake_count;

  (void)worker.tick();

  EXPECT_EQ(wake_count, before + 1);
  tick();
  EXPECT_THAT(executor.launches, SizeIs(2));
}

TEST_F(WorkerTest, no_more_than_its_capacity_runs_at_a_time) {
  tick();
  for (int i = 0; i < 5; ++i) create(a_command().id(fmt::format("tower-{}", i)));
  pass(5min);

  EXPECT_THAT(executor.launches, SizeIs(3));
  end_newest({.outcome = Outcome::succeeded});

  EXPECT_THAT(executor.launches, SizeIs(4));
}

TEST_F(WorkerTest, what_a_commit_had_no_room_for_is_claimed_as_soon_as_there_is_some) {
  for (int i = 0; i < 5; ++i) create(a_command().id(fmt::format("s{}", i)));
  tick();
  clock.advance(5min - 100ms);
  // It has looked a moment ago, and would by itself look again in a second.
  tick();
  clock.advance(100ms);
  (void)decider.tick();
  (void)worker.tick();
  (void)worker.tick();
  ASSERT_THAT(executor.launches, SizeIs(3)) << "its capacity";

  for (std::size_t i = 0; i < 3; ++i) {
    attempts.launched(executor.launches[i].key);
    attempts.ended(executor.launches[i].key, {});
  }
  (void)worker.tick();

  EXPECT_THAT(executor.launches, SizeIs(5));
}

TEST_F(WorkerTest, what_has_ended_makes_room_before_its_end_is_written) {
  tick();
  for (int i = 0; i < 9; ++i) create(a_command().id(fmt::format("tower-{}", i)));
  store.refuses_ends = true;
  pass(5min);
  ASSERT_THAT(executor.launches, SizeIs(3));

  end_newest({.outcome = Outcome::succeeded});
  EXPECT_THAT(executor.launches, SizeIs(4));

  for (int i = 0; i < 9; ++i) end_newest({.outcome = Outcome::succeeded});
  EXPECT_THAT(executor.launches, SizeIs(6)) << "ends that cannot be told do not pile up";
  store.refuses_ends = false;
  pass(10s);
  EXPECT_THAT(executor.launches, SizeIs(7)) << "two of the first still run";
}

TEST_F(WorkerTest, a_failed_attempt_is_tried_again_after_its_back_off) {
  run_one(a_command());
  end_newest({.outcome = Outcome::failed, .exit_code = 3});
  EXPECT_THAT(executor.launches, SizeIs(1));

  pass(1min);

  ASSERT_THAT(executor.launches, SizeIs(2));
  EXPECT_EQ(executor.launches[1].envelope.attempt, 2);
  EXPECT_GT(executor.launches[1].envelope.fence, executor.launches[0].envelope.fence);
}

TEST_F(WorkerTest, a_launch_that_is_postponed_is_tried_again_and_is_no_attempt_of_its_own) {
  run_one(a_command());
  postpone_newest({.outcome = Outcome::released, .error = "no files", .retry_after = 500ms});
  EXPECT_THAT(executor.launches, SizeIs(1)) << "not at once";
  EXPECT_TRUE(log.has("launch is postponed"));

  pass(1s);

  ASSERT_THAT(executor.launches, SizeIs(2));
  EXPECT_EQ(executor.launches[1].key, executor.launches[0].key);
  end_newest({.outcome = Outcome::succeeded, .exit_code = 0});
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
}

TEST_F(WorkerTest, a_launch_that_is_postponed_does_not_happen_after_a_pause) {
  run_one(a_command());
  ASSERT_TRUE(commands.change(key(), Paused{.by = "anna"}));

  postpone_newest({.outcome = Outcome::released, .error = "its launch took too long", .retry_after = 0s});
  pass(1min);

  EXPECT_THAT(executor.launches, SizeIs(1));
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 cancelled"));
}

TEST_F(WorkerTest, a_launch_that_is_postponed_does_not_happen_after_its_schedule_is_deleted) {
  run_one(a_command());
  ASSERT_TRUE(commands.change(key(), Deleted{.by = "anna"}));

  postpone_newest({.outcome = Outcome::released, .error = "its launch took too long", .retry_after = 0s});
  pass(1min);

  EXPECT_THAT(executor.launches, SizeIs(1));
  EXPECT_TRUE(worker.is_idle());
}

TEST_F(WorkerTest, a_retry_whose_launch_is_postponed_goes_on_in_a_pause) {
  run_one(a_command());
  end_newest({.outcome = Outcome::failed, .exit_code = 3});
  pass(1min);
  ASSERT_THAT(executor.launches, SizeIs(2));
  ASSERT_TRUE(commands.change(key(), Paused{.by = "anna"}));

  postpone_newest({.outcome = Outcome::released, .error = "no files", .retry_after = 0s});
  pass(1s);

  ASSERT_THAT(executor.launches, SizeIs(3));
  EXPECT_EQ(executor.launches[2].envelope.attempt, 2);
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
  end_newest({.outcome = Outcome::cancelled, .signal = 9});

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 timed_out"));
}

TEST_F(WorkerTest, a_cancelled_run_is_asked_to_stop_as_soon_as_somebody_says_so) {
  run_one(a_command());
  ASSERT_TRUE(commands.change(key(), CancelRequested{.run = executor.launches[0].key.run}));

  worker.session().look_for_stops();
  tick();

  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
  end_newest({.outcome = Outcome::cancelled, .signal = 15});
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 cancelled"));
}

TEST_F(WorkerTest, one_that_stands_in_the_way_of_the_next_is_asked_to_stop_at_once) {
  run_one(a_command().overlap(OverlapPolicy::cancel_other));

  pass(5min);

  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
}

TEST_F(WorkerTest, what_runs_for_a_while_is_seen_to_have_been_launched) {
  run_one(a_command());
  attempts.launched(executor.launches[0].key);

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
  attempts.ended(executor.launches[0].key, {.outcome = Outcome::cancelled});
  for (int i = 0; i < 10; ++i) pass(1s);
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 lost"));
}

TEST_F(WorkerTest, one_ended_by_force_because_the_lease_was_not_renewed_is_lost_and_not_repeated) {
  run_one(a_command());
  end_newest({.outcome = Outcome::cancelled, .signal = 9, .error = "not renewed in time"});

  pass(4min);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 lost"));
  EXPECT_THAT(executor.launches, SizeIs(1)) << "a command is not repeated unless its schedule says so";
}

TEST_F(WorkerTest, one_that_came_too_late_to_be_launched_is_given_back_and_costs_no_attempt) {
  run_one(a_command().with([](Policies& p) { p.retry.attempt_count_max = 1; }));

  attempts.ended(executor.launches[0].key, {.outcome = Outcome::released, .error = "too late"});
  tick();

  ASSERT_THAT(executor.launches, SizeIs(2));
  EXPECT_EQ(executor.launches[1].envelope.attempt, 2) << "a number is never used twice";
  end_newest({.outcome = Outcome::succeeded});
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 released", "attempt 2 succeeded"));
}

TEST_F(WorkerTest, observers_hear_what_the_run_machine_decides_about_retries) {
  run_one(a_command().with([](Policies& p) { p.retry.on_lost = true; }));

  end_newest({.outcome = Outcome::lost});
  pass(1min);
  ASSERT_THAT(executor.launches, SizeIs(2));
  ASSERT_TRUE(commands.change(key(), CancelRequested{.run = executor.launches[1].key.run}));
  worker.session().look_for_stops();
  tick();
  end_newest({.outcome = Outcome::failed});

  EXPECT_THAT(heard.retries, ElementsAre(true, false)) << "a lost one that may be repeated; one that was cancelled";
}

TEST_F(WorkerTest, observers_hear_that_one_which_was_lost_after_a_cancel_is_not_tried_again) {
  run_one(a_command().with([](Policies& p) { p.retry.on_lost = true; }));

  ASSERT_TRUE(commands.change(key(), CancelRequested{.run = executor.launches[0].key.run}));
  worker.session().look_for_stops();
  tick();
  end_newest({.outcome = Outcome::lost});

  EXPECT_THAT(heard.retries, ElementsAre(false));
}

TEST_F(WorkerTest, a_definition_that_cannot_be_read_holds_up_no_other_end) {
  tick();
  create(a_command().id("sound"));
  create(a_command().id("broken"));
  pass(5min);
  ASSERT_THAT(executor.launches, SizeIs(2));
  store.unreadable = memory.find(key("broken")).value().view->state.uid;
  definitions.now()->forget_all();
  for (const Assignment& launch : executor.launches) {
    attempts.launched(launch.key);
    attempts.ended(launch.key, {.outcome = Outcome::failed, .exit_code = 3, .error = "exited with 3"});
  }

  pass(1s);

  EXPECT_TRUE(worker.is_idle());
  EXPECT_TRUE(log.has("definition cannot be read, its runs are not retried"));
  EXPECT_THAT(ledger(), ElementsAre("started", "started", "attempt 1 failed", "attempt 1 failed"));
  pass(1min);
  EXPECT_THAT(executor.launches, SizeIs(3)) << "only the one whose policies are known is tried again";
}

TEST_F(WorkerTest, a_clock_that_is_set_ends_nothing_that_runs) {
  run_one(a_command());
  attempts.launched(executor.launches[0].key);
  for (const Duration step : {Duration{20s}, Duration{40s}, Duration{600s}, Duration{7'200s}, Duration{-7'200s}}) {
    clock.advance_wall(step);
    pass(35s);

    ASSERT_THAT(executor.stops, IsEmpty()) << step.count();
    ASSERT_EQ(ledger()[1], "attempt 1 launched") << step.count();
    ASSERT_FALSE(log.has("worker lost its session")) << step.count();
  }

  end_newest({.outcome = Outcome::succeeded});

  EXPECT_EQ(ledger()[1], "attempt 1 succeeded");
}

TEST_F(WorkerTest, a_clock_that_is_set_neither_delays_a_retry_nor_brings_it_forward) {
  for (const Duration step : {Duration{-60s}, Duration{-7'200s}, Duration{60s}, Duration{7'200s}}) {
    create(a_schedule().by_hand().id(fmt::format("tower{}", step.count())).action(bin_true()).with([](Policies& p) {
      p.retry.initial = 5s;
      p.retry.jitter = 0;
    }));
    ASSERT_TRUE(commands.change(key(fmt::format("tower{}", step.count())), Triggered{.by = "anna", .id = "t"}));
    executor.launches.clear();
    pass(1s);
    ASSERT_THAT(executor.launches, SizeIs(1)) << step.count();
    end_newest({.outcome = Outcome::failed});

    clock.advance_wall(step);
    pass(4s);
    EXPECT_THAT(executor.launches, SizeIs(1)) << step.count();
    pass(2s);

    EXPECT_THAT(executor.launches, SizeIs(2)) << step.count();
    end_newest({.outcome = Outcome::succeeded});
  }
}

TEST_F(WorkerTest, a_dead_workers_runs_are_called_lost_also_while_the_clock_is_not_believed) {
  run_one(a_command());
  SessionId dead = memory.open_session("dead", 5s).value();
  create(a_command().id("other"));
  ASSERT_TRUE(commands.change(key("other"), Triggered{.by = "anna", .id = "t"}));
  ASSERT_THAT(memory.claim({.session = dead, .queues = {"@command"}, .count_max = 1}).value().runs, SizeIs(1));
  clock.advance_wall(2h);

  pass(12s);

  EXPECT_TRUE(log.has("runs lost")) << "its lease was over seven seconds ago";
}

TEST_F(WorkerTest, a_lease_that_a_claim_says_is_shorter_is_kept_to) {
  tick();
  const Duration before = executor.lease_end;
  create(a_schedule().by_hand().action(bin_true()));
  ASSERT_TRUE(commands.change(key(), Triggered{.by = "anna", .id = "t"}));
  store.lease_shortened_by = 20s;
  clock.advance(1s);

  (void)worker.tick();

  ASSERT_THAT(executor.launches, SizeIs(1));
  EXPECT_LE(executor.launches[0].launch_before, before - 19s);
  EXPECT_GE(executor.lease_end, before) << "and it was renewed at once";
}

TEST_F(WorkerTest, an_end_that_cannot_be_told_is_told_later) {
  run_one(a_command());
  store.is_gone = true;
  end_newest({.outcome = Outcome::succeeded});
  EXPECT_FALSE(worker.is_idle());
  store.is_gone = false;

  pass(1s);

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
  EXPECT_TRUE(worker.is_idle());
}

TEST_F(WorkerTest, an_end_whose_answer_was_lost_is_not_counted_twice) {
  run_one(a_command());
  store.loses_next_finish = true;
  end_newest({.outcome = Outcome::succeeded});

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
  end_newest({.outcome = Outcome::succeeded});
  pass(30s);
  EXPECT_THAT(executor.launches, SizeIs(1));
  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 succeeded"));
}

TEST_F(WorkerTest, runs_of_a_claim_that_is_carried_out_long_after_it_was_given_up_are_found_and_launched_once) {
  create(a_command());
  tick();
  store.is_next_claim_late = true;
  ASSERT_TRUE(commands.change(key(), Triggered{.by = "anna", .id = "t"}));
  pass(5s);
  ASSERT_TRUE(store.late_claim);
  ASSERT_THAT(executor.launches, IsEmpty());

  store.carry_out_late_claim();
  pass(15s);

  EXPECT_THAT(executor.launches, SizeIs(1));
  end_newest({.outcome = Outcome::succeeded});
  pass(30s);
  EXPECT_THAT(executor.launches, SizeIs(1));
}

TEST_F(WorkerTest, output_goes_to_the_log_which_is_complete_when_the_end_is_told) {
  run_one(a_command());
  const AttemptKey attempt = executor.launches[0].key;
  attempts.output(attempt, OutputStream::out, "one ");
  attempts.output(attempt, OutputStream::error, "two");
  end_newest({.outcome = Outcome::succeeded});

  EXPECT_EQ(logs.text[attempt], "one two");
  EXPECT_TRUE(logs.closed.contains(attempt));
}

TEST_F(WorkerTest, the_result_of_a_success_is_given_to_the_next_run) {
  run_one(a_command());
  end_newest({.outcome = Outcome::succeeded, .result = "{\"rows\":3}"});

  pass(5min);

  EXPECT_EQ(executor.launches.back().envelope.last_result, "{\"rows\":3}");
}

TEST_F(WorkerTest, a_run_is_told_how_many_successes_came_before_it) {
  run_one(a_command());
  std::vector<std::int64_t> told{executor.launches.back().envelope.repeat_number};
  end_newest({.outcome = Outcome::succeeded});
  pass(5min);
  told.push_back(executor.launches.back().envelope.repeat_number);
  end_newest({.outcome = Outcome::failed});
  pass(1min);
  told.push_back(executor.launches.back().envelope.repeat_number);
  end_newest({.outcome = Outcome::succeeded});
  ASSERT_TRUE(commands.change(key(), Triggered{.by = "anna", .id = "t"}));
  tick();
  told.push_back(executor.launches.back().envelope.repeat_number);
  end_newest({.outcome = Outcome::succeeded});
  pass(4min);
  told.push_back(executor.launches.back().envelope.repeat_number);

  EXPECT_THAT(told, ElementsAre(0, 1, 1, 2, 2))
      << "a retry keeps its number, and what is started by hand does not count";
}

TEST_F(WorkerTest, is_told_of_commands_that_stop_something_and_of_no_others) {
  int told = 0;
  ScheduleCommands telling{store, store, definitions, [&] { ++told; }};
  run_one(a_command());
  ASSERT_TRUE(telling.change(key(), Paused{.by = "anna"}));
  ASSERT_TRUE(telling.change(key(), Resumed{.by = "anna"}));
  EXPECT_EQ(told, 0);

  ASSERT_TRUE(telling.change(key(), Triggered{.by = "anna", .id = "t", .overlap = OverlapPolicy::cancel_other}));

  EXPECT_EQ(told, 1);
}

TEST_F(WorkerTest, where_others_changes_are_told_it_claims_less_often_by_itself) {
  Worker patient{
      worker_parts,
      {.session = {.name = "w2", .queues = {"@command"}, .capacity = 3, .hears_of_changes = [] { return true; }}}};
  const auto claims_within = [&](Worker& one, Duration length) {
    (void)one.tick();
    const int before = store.claim_count;
    for (Duration passed{}; passed < length; passed += 1s) {
      clock.advance(1s);
      (void)one.tick();
    }
    return store.claim_count - before;
  };

  EXPECT_EQ(claims_within(worker, 10s), 10);
  EXPECT_EQ(claims_within(patient, 10s), 2);
}

TEST_F(WorkerTest, an_action_nobody_performs_here_fails_with_a_reason) {
  RunningAttempts none{clock, log};
  Worker idler{{.store = store,
                .queue = store,
                .definitions = definitions,
                .clock = clock,
                .log = log,
                .attempts = none,
                .executors = {}},
               {.session = {.name = "w2", .queues = {"@command"}}}};
  create(a_command().with([](Policies& p) { p.retry.attempt_count_max = 1; }));
  clock.advance(5min);
  (void)decider.tick();

  (void)idler.tick();
  (void)idler.tick();

  EXPECT_THAT(ledger(), ElementsAre("started", "attempt 1 failed"));
}

TEST_F(WorkerTest, a_worker_that_drains_claims_nothing_and_records_what_it_cancels) {
  run_one(a_command());
  attempts.drain();
  pass(5min);
  EXPECT_THAT(executor.launches, SizeIs(1));

  worker.stop_all(Stop::cancel);
  EXPECT_THAT(executor.stops, ElementsAre(Pair(executor.launches[0].key, Stop::cancel)));
  end_newest({.outcome = Outcome::cancelled, .signal = 15});

  EXPECT_TRUE(worker.is_idle());
  EXPECT_EQ(ledger()[1], "attempt 1 cancelled");
}

}  // namespace
}  // namespace carillon::testing
