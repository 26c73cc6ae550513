#include "library/pipeline_scheduler_test.hpp"

#include <unistd.h>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class PipelineLifeTest : public PipelineSchedulerTest {
 protected:
  [[nodiscard]] bool has_lock() const { return std::filesystem::exists(folder.path() / ".scheduler.lock"); }
};

TEST_F(PipelineLifeTest, touches_nothing_before_it_is_started_and_answers_that_it_was_not) {
  write_daily();
  PipelineScheduler scheduler{options()};

  EXPECT_FALSE(scheduler.is_running());
  EXPECT_EQ(scheduler.list().error().code, FailureCode::unavailable);
  EXPECT_EQ(scheduler.trigger_now("x").error().code, FailureCode::unavailable);
  EXPECT_TRUE(scheduler.stop());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".carillon"));
  EXPECT_FALSE(has_lock());
}

TEST_F(PipelineLifeTest, refuses_options_that_cannot_be_used) {
  const auto refused = [](PipelineSchedulerOptions with) { return PipelineScheduler{std::move(with)}.start().error(); };
  PipelineSchedulerOptions none = options(nullptr);
  EXPECT_THAT(refused(none).message, HasSubstr("ai_invoker"));
  PipelineSchedulerOptions history = options();
  history.max_history_entries = 0;
  EXPECT_THAT(refused(history).message, HasSubstr("max_history_entries"));
  PipelineSchedulerOptions stale = options();
  stale.lock_stale_threshold = 10s;
  EXPECT_THAT(refused(stale).message, HasSubstr("lock_stale_threshold"));
  PipelineSchedulerOptions zone = options();
  zone.default_timezone = "Mars/Olympus";
  EXPECT_THAT(refused(zone).message, HasSubstr("Mars/Olympus"));
  PipelineSchedulerOptions away = options();
  away.pipelines_directory /= "nowhere";
  EXPECT_EQ(refused(away).code, FailureCode::not_found);
  EXPECT_FALSE(has_lock());
}

TEST_F(PipelineLifeTest, is_refused_while_another_has_the_folder_and_may_be_started_when_that_is_gone) {
  write_daily();
  PipelineScheduler second{options()};
  listen(second);
  {
    PipelineScheduler first{options()};
    first.start().value();
    EXPECT_TRUE(has_lock());

    const auto refused = second.start();

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, FailureCode::conflict);
    EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(::getpid())));
    EXPECT_EQ(statuses.take(), SchedulerStatus::starting);
    EXPECT_EQ(statuses.take(), SchedulerStatus::stopped);
  }
  EXPECT_TRUE(second.start());
}

TEST_F(PipelineLifeTest, gives_the_folder_back_when_it_is_stopped_and_still_answers) {
  write_daily();
  PipelineScheduler scheduler{options()};
  scheduler.start().value();
  EXPECT_TRUE(scheduler.is_running());
  ASSERT_TRUE(scheduler.trigger_now(only_id(scheduler)).value().success);

  scheduler.stop().value();

  EXPECT_FALSE(scheduler.is_running());
  EXPECT_FALSE(has_lock());
  EXPECT_THAT(scheduler.history(only_id(scheduler)).value(), SizeIs(1));
  EXPECT_THAT(read("daily-report/.schedule-state.json"), HasSubstr(R"("successfulRuns": 1)"));
  EXPECT_EQ(scheduler.start().error().code, FailureCode::conflict);
}

TEST_F(PipelineLifeTest, waits_for_running_pipelines_for_so_long_and_then_cancels_them) {
  write_daily();
  Mailbox<int> asked;
  {
    PipelineScheduler scheduler{options([&](const AiQuestion& question) {
      if (!question.prompt.contains("Crash")) return answer_low(question);
      Mailbox<int> stopped;
      const std::stop_callback callback{question.stop, [&] { stopped.put(1); }};
      asked.put(1);
      (void)stopped.take();
      return AiAnswer::failed("cancelled");
    })};
    scheduler.start().value();
    (void)scheduler.trigger(only_id(scheduler)).value();
    (void)asked.take();

    scheduler.stop(0s).value();
  }
  PipelineScheduler again{options()};
  again.start().value();

  const PipelineRun run = last_run(again);
  EXPECT_FALSE(run.success);
  EXPECT_THAT(run.error, HasSubstr("cancelled"));
}

TEST_F(PipelineLifeTest, cannot_be_stopped_by_those_it_has_called) {
  write_daily();
  PipelineScheduler* self = nullptr;
  Mailbox<FailureCode> codes;
  PipelineScheduler scheduler{options([&](const AiQuestion& question) {
    codes.put(self->stop().error().code);
    return answer_low(question);
  })};
  self = &scheduler;
  scheduler.start().value();

  EXPECT_TRUE(scheduler.trigger_now(only_id(scheduler)).value().success);

  EXPECT_EQ(codes.take(), FailureCode::conflict);
}

TEST_F(PipelineLifeTest, makes_up_for_what_was_missed_while_it_was_away_as_the_package_says) {
  write_daily();
  folder.write("monitor/pipeline.yaml",
               "name: Monitor\nschedule: {cron: \"*/15 * * * *\", timezone: UTC, missedExecution: skip}\n"
               "input: {items: [{queue: high}]}\nmap: {prompt: \"{{queue}}\"}\nreduce: {type: text}\n");
  {
    PipelineScheduler scheduler{options()};
    scheduler.start().value();
  }
  clock->advance(49h + 5min);
  PipelineScheduler scheduler{options()};
  listen(scheduler);

  scheduler.start().value();

  const ExecutionComplete event = completed.take();
  EXPECT_EQ(event.pipeline_id, "daily-report");
  EXPECT_THAT(event.run_name, HasSubstr("@2026-06-03T10:00:00Z"));
  scheduler.stop().value();
  const auto infos = scheduler.list().value();
  for (const PipelineScheduleInfo& info : infos)
    EXPECT_EQ(info.state.stats.total_runs, info.pipeline_id == "monitor" ? 0 : 1) << info.pipeline_id;
}

TEST_F(PipelineLifeTest, goes_on_with_the_history_of_a_package_that_was_moved_here) {
  write_daily();
  {
    PipelineScheduler scheduler{options()};
    scheduler.start().value();
    ASSERT_TRUE(scheduler.trigger_now(only_id(scheduler)).value().success);
  }
  std::filesystem::create_directory(folder.path() / "team");
  std::filesystem::rename(folder.path() / "daily-report", folder.path() / "team/daily");
  PipelineSchedulerOptions elsewhere = options();
  elsewhere.data = folder.path() / ".other-store";
  PipelineScheduler scheduler{elsewhere};
  scheduler.start().value();

  const auto infos = scheduler.list().value();

  ASSERT_THAT(infos, SizeIs(1));
  EXPECT_EQ(infos.front().pipeline_id, "team/daily");
  EXPECT_EQ(infos.front().state.stats.total_runs, 1);
  EXPECT_THAT(scheduler.history(infos.front().schedule_id).value(), SizeIs(1));
}

TEST_F(PipelineLifeTest, keeps_as_many_runs_as_it_is_told) {
  write_daily();
  PipelineSchedulerOptions two = options();
  two.max_history_entries = 2;
  PipelineScheduler scheduler{two};
  scheduler.start().value();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(scheduler.trigger_now(only_id(scheduler)).value().success);

  EXPECT_THAT(scheduler.list().value().front().state.history, SizeIs(2));
  EXPECT_THAT(scheduler.history(only_id(scheduler), 1).value(), SizeIs(1));
}

TEST_F(PipelineLifeTest, writes_its_heartbeat_as_often_as_it_is_told) {
  write_daily();
  PipelineSchedulerOptions quick = options();
  quick.heartbeat_interval = 100ms;
  PipelineScheduler scheduler{quick};
  scheduler.start().value();
  const std::string before = read(".scheduler.lock");
  clock->advance(1s);

  const auto end = std::chrono::steady_clock::now() + 30s;
  while (read(".scheduler.lock") == before && std::chrono::steady_clock::now() < end) std::this_thread::yield();

  EXPECT_THAT(read(".scheduler.lock"), HasSubstr(R"("heartbeat": "2026-06-01T09:00:01.000Z")"));
}

}  // namespace
}  // namespace carillon::testing
