#include "library/scheduler_test.hpp"

#include <atomic>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using State = RunRecord::State;

TimePoint now() { return std::chrono::system_clock::now(); }

TEST_F(SchedulerTest, a_schedule_starts_its_handler_by_itself) {
  Mailbox<RunContext> runs;
  ASSERT_TRUE(scheduler.start());
  const TimePoint soon = std::chrono::floor<std::chrono::microseconds>(now() + 500ms);

  scheduler.must_register({.id = "tower", .payload = R"({"bell":"great"})", .at = {soon}}, [&](const RunContext& run) {
    runs.put(run);
    return HandlerResult{};
  });

  const RunContext run = runs.take();
  EXPECT_EQ(run.schedule_id, "tower");
  EXPECT_EQ(run.nominal, soon);
  EXPECT_EQ(run.due, soon);
  EXPECT_EQ(run.attempt, 1);
  EXPECT_GT(run.fence, 0);
  EXPECT_EQ(run.payload, R"({"bell":"great"})");
  EXPECT_EQ(run.last_result, std::nullopt);
  EXPECT_THAT(run.run_name, HasSubstr("tower@"));
}

TEST_F(SchedulerTest, a_trigger_starts_a_run_with_its_own_payload) {
  Mailbox<std::string> payloads;
  scheduler.must_register({.id = "cleanup"}, [&](const RunContext& run) {
    payloads.put(run.payload);
    return HandlerResult{};
  });
  ASSERT_TRUE(scheduler.start());

  const auto result = scheduler.trigger("cleanup", {.payload = R"({"depth":9})"});

  ASSERT_TRUE(result);
  EXPECT_EQ(result->decision, TriggerResult::Decision::started);
  EXPECT_EQ(payloads.take(), R"({"depth":9})");
  EXPECT_FALSE(scheduler.trigger("cleanup", {.payload = "{"}));
  EXPECT_EQ(scheduler.trigger("unknown").error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, a_trigger_may_be_skipped_while_a_run_is_active) {
  Mailbox<int> begun;
  scheduler.must_register({.id = "slow"}, [&](const RunContext& run) {
    begun.put(1);
    return wait_for_stop(run);
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("slow", {.overlap = Overlap::skip}));
  (void)begun.take();

  const auto second = scheduler.trigger("slow", {.overlap = Overlap::skip});

  EXPECT_EQ(second->decision, TriggerResult::Decision::skipped);
  EXPECT_EQ(second->reason, "overlap");
  EXPECT_EQ(second->run_id, "");
  EXPECT_EQ(scheduler.cancel("slow").value(), 1U);
}

TEST_F(SchedulerTest, cancelling_a_schedule_stops_its_handlers) {
  Mailbox<int> begun;
  scheduler.must_register({.id = "slow"}, [&](const RunContext& run) {
    begun.put(1);
    return wait_for_stop(run);
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("slow"));
  (void)begun.take();
  EXPECT_EQ(scheduler.get("slow")->open_count, 1);

  EXPECT_EQ(scheduler.cancel("slow").value(), 1U);

  EXPECT_EQ(failed.take().kind, ExecutionError::Kind::cancelled);
  EXPECT_EQ(ended_run(scheduler, "slow").state, State::cancelled);
  EXPECT_EQ(scheduler.cancel("slow").value(), 0U);
}

TEST_F(SchedulerTest, one_run_is_cancelled_by_its_id) {
  Mailbox<int> begun;
  scheduler.must_register({.id = "slow"}, [&](const RunContext& run) {
    begun.put(1);
    return wait_for_stop(run);
  });
  ASSERT_TRUE(scheduler.start());
  const std::string id = scheduler.trigger("slow")->run_id;
  (void)begun.take();

  ASSERT_TRUE(scheduler.cancel_run(id));

  EXPECT_EQ(failed.take().run_id, id);
  EXPECT_EQ(ended_run(scheduler, "slow").state, State::cancelled);
  EXPECT_EQ(scheduler.cancel_run(id).error().code, FailureCode::conflict);
  EXPECT_EQ(scheduler.cancel_run("r-0000000000000").error().code, FailureCode::not_found);
}

TEST_F(SchedulerTest, an_attempt_that_takes_too_long_is_asked_to_stop) {
  scheduler.must_register({.id = "slow", .attempt_count_max = 1, .timeout = 10ms}, wait_for_stop);
  ASSERT_TRUE(scheduler.start());

  ASSERT_TRUE(scheduler.trigger("slow"));

  EXPECT_EQ(failed.take().kind, ExecutionError::Kind::timed_out);
  EXPECT_EQ(ended_run(scheduler, "slow").state, State::timed_out);
}

TEST_F(SchedulerTest, the_history_has_the_newest_runs_first_with_results_and_errors) {
  scheduler.must_register({.id = "flaky", .attempt_count_max = 1}, [](const RunContext& run) {
    return run.payload == "1" ? HandlerResult::failure("no disk") : HandlerResult::success(run.payload);
  });
  ASSERT_TRUE(scheduler.start());

  for (const char* payload : {"1", "2", "3"}) {
    ASSERT_TRUE(scheduler.trigger("flaky", {.payload = payload}));
    if (*payload == '1')
      (void)failed.take();
    else
      (void)completed.take();
    (void)ended_run(scheduler, "flaky");
  }

  const auto all = scheduler.history("flaky").value();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].state, State::succeeded);
  EXPECT_EQ(all[0].result, "3");
  EXPECT_EQ(all[0].source, "trigger");
  EXPECT_EQ(all[0].error, "");
  EXPECT_LE(*all[0].started_at, *all[0].ended_at);
  EXPECT_EQ(all[1].result, "2");
  EXPECT_EQ(all[2].state, State::failed);
  EXPECT_EQ(all[2].error, "no disk");
  EXPECT_EQ(scheduler.history("flaky", 2)->size(), 2U);
  EXPECT_EQ(scheduler.get("flaky")->run_count, 3);
  EXPECT_EQ(scheduler.get("flaky")->success_count, 2);
  EXPECT_EQ(scheduler.get("flaky")->error_count, 1);
}

TEST_F(SchedulerTest, the_history_begins_with_the_schedule) {
  ASSERT_TRUE(scheduler.register_handler("work", do_nothing));
  scheduler.must_register({.id = "cleanup", .handler = "work"});
  scheduler.must_register({.id = "other", .handler = "work"});
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("other"));
  (void)completed.take();

  EXPECT_TRUE(scheduler.history("cleanup")->empty());
  EXPECT_EQ(scheduler.history("other")->size(), 1U);
}

TEST_F(SchedulerTest, a_run_is_given_what_the_one_before_has_left) {
  Mailbox<std::optional<std::string>> last;
  scheduler.must_register({.id = "cursor"}, [&](const RunContext& run) {
    last.put(run.last_result);
    return HandlerResult::success(R"({"page":7})");
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("cursor"));
  EXPECT_EQ(last.take(), std::nullopt);
  (void)ended_run(scheduler, "cursor");

  ASSERT_TRUE(scheduler.trigger("cursor"));

  EXPECT_EQ(last.take(), R"({"page":7})");
}

TEST(SchedulerStopping, waits_for_handlers) {
  auto scheduler = Scheduler::open().value();
  Mailbox<int> begun;
  Mailbox<int> stopping;
  std::atomic<bool> has_returned = false;
  scheduler.listen({.scheduler_status = [&](SchedulerStatus status) {
    if (status == SchedulerStatus::stopping) stopping.put(1);
  }});
  scheduler.must_register({.id = "slow"}, [&](const RunContext& run) {
    begun.put(1);
    (void)stopping.take();
    has_returned = !run.stop.stop_requested();
    return HandlerResult{};
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("slow"));
  (void)begun.take();

  ASSERT_TRUE(scheduler.stop());

  EXPECT_TRUE(has_returned);
  EXPECT_EQ(scheduler.history("slow")->front().state, State::succeeded);
}

TEST(SchedulerStopping, asks_handlers_to_stop_when_its_time_is_over) {
  auto scheduler = Scheduler::open({.stop_timeout = 0s}).value();
  Mailbox<int> begun;
  scheduler.must_register({.id = "slow"}, [&](const RunContext& run) {
    begun.put(1);
    return wait_for_stop(run);
  });
  ASSERT_TRUE(scheduler.start());
  ASSERT_TRUE(scheduler.trigger("slow"));
  (void)begun.take();

  ASSERT_TRUE(scheduler.stop());

  EXPECT_EQ(scheduler.history("slow")->front().state, State::cancelled);
}

TEST(SchedulerFolder, goes_on_where_an_earlier_life_of_the_program_was) {
  const TemporaryFolder folder;
  const SchedulerOptions options{.data = folder.path() / "state"};
  std::string run_id;
  {
    auto scheduler = Scheduler::open(options).value();
    scheduler.must_register({.id = "cursor"}, do_nothing);
    // It is never started: the run waits for the next life.
    run_id = scheduler.trigger("cursor")->run_id;
  }

  auto scheduler = Scheduler::open(options).value();
  Mailbox<std::string> runs;
  scheduler.must_register({.id = "cursor"}, [&](const RunContext& run) {
    runs.put(run.run_id);
    return HandlerResult{};
  });
  ASSERT_TRUE(scheduler.start());

  EXPECT_EQ(runs.take(), run_id);
}

}  // namespace
}  // namespace carillon::testing
