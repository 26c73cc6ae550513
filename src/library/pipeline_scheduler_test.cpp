#include "library/pipeline_scheduler_test.hpp"

#include <atomic>
#include <thread>

namespace carillon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Status = PipelineScheduleState::Status;

TEST_F(PipelineSchedulerTest, tells_of_every_pipeline_with_a_schedule) {
  write_daily(
      "  retryPolicy: {maxRetries: 5, retryDelayMs: 300000}\n  missedExecution: skip\n"
      "  window: {maxDelayMinutes: 30}\n");
  folder.write("no-schedule/pipeline.yaml",
               "name: By hand\ninput: {items: [{a: b}]}\nmap: {prompt: \"{{a}}\"}\nreduce: {type: list}\n");
  PipelineScheduler scheduler{options()};
  scheduler.start().value();

  const auto infos = scheduler.list().value();

  ASSERT_THAT(infos, SizeIs(1));
  const PipelineScheduleInfo& info = infos.front();
  EXPECT_THAT(info.schedule_id, ::testing::MatchesRegex("daily-report-[0-9a-f]{6}"));
  EXPECT_EQ(info.pipeline_id, "daily-report");
  EXPECT_EQ(info.pipeline_name, "Daily Bug Report");
  EXPECT_EQ(info.pipeline_directory, std::filesystem::canonical(folder.path()) / "daily-report");
  EXPECT_EQ(info.config.cron, "0 10 * * *");
  EXPECT_EQ(info.config.timezone, "UTC");
  EXPECT_EQ(info.config.max_retries, 5);
  EXPECT_EQ(info.config.retry_delay, 5min);
  EXPECT_EQ(info.config.missed_execution, PipelineScheduleConfig::MissedExecution::skip);
  EXPECT_EQ(info.config.max_delay, 30min);
  EXPECT_EQ(info.state.status, Status::idle);
  EXPECT_EQ(info.state.next_run, nine + 1h);
  EXPECT_EQ(info.next_run_in, 1h);
  EXPECT_EQ(scheduler.get(info.schedule_id).value().pipeline_name, "Daily Bug Report");
  EXPECT_EQ(scheduler.get("nobody").error().code, FailureCode::not_found);
}

TEST_F(PipelineSchedulerTest, runs_a_pipeline_on_its_cron_with_the_host_s_answers) {
  write_daily();
  PipelineScheduler scheduler{options()};
  listen(scheduler);
  scheduler.start().value();

  clock->advance(1h);

  EXPECT_EQ(started.take().pipeline_id, "daily-report");
  const ExecutionComplete event = completed.take();
  EXPECT_EQ(event.schedule_id, only_id(scheduler));
  EXPECT_EQ(event.pipeline_id, "daily-report");
  EXPECT_THAT(event.result.value(), HasSubstr(R"("itemsProcessed":2)"));
  const PipelineRun run = last_run(scheduler);
  EXPECT_TRUE(run.success);
  EXPECT_EQ(run.items_processed, 2);
  EXPECT_THAT(read("daily-report/" + run.result_file), HasSubstr(R"("severity":"low")"));
  const PipelineScheduleState state = scheduler.list().value().front().state;
  EXPECT_EQ(state.stats.successful_runs, 1);
  EXPECT_EQ(state.next_run, nine + 25h);
  EXPECT_EQ(state.last_run->result_file, run.result_file);
}

TEST_F(PipelineSchedulerTest, waits_for_what_is_triggered_and_returns_its_result) {
  write_daily();
  PipelineScheduler scheduler{options()};
  scheduler.start().value();

  const PipelineExecutionResult result = scheduler.trigger_now(only_id(scheduler)).value();

  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(result.total_items, 2);
  EXPECT_EQ(result.failed_items, 0);
  EXPECT_THAT(result.output.value(), HasSubstr("Crash"));
  EXPECT_THAT(result.result_file, HasSubstr(".results/"));
}

TEST_F(PipelineSchedulerTest, tells_of_a_failure_and_that_it_will_be_retried) {
  write_daily("  retryPolicy: {maxRetries: 1, retryDelayMs: 0}\n");
  std::atomic<int> count = 0;
  PipelineScheduler scheduler{options([&](const AiQuestion& question) {
    ++count;
    if (question.prompt.contains("Crash")) return AiAnswer::failed("I do not know", AiAnswer::Failure::permanent);
    return answer_low(question);
  })};
  listen(scheduler);
  scheduler.start().value();

  const PipelineExecutionResult result = scheduler.trigger_now(only_id(scheduler)).value();

  EXPECT_FALSE(result.success);
  EXPECT_THAT(result.error, HasSubstr("I do not know"));
  const ExecutionError first = failed.take();
  EXPECT_EQ(first.pipeline_id, "daily-report");
  EXPECT_TRUE(first.will_retry);
  EXPECT_EQ(first.retry_attempt, 1);
  EXPECT_FALSE(failed.take().will_retry);
  EXPECT_EQ(count, 3) << "an item that was answered is not asked about again";
  EXPECT_EQ(scheduler.list().value().front().state.status, Status::error);
  EXPECT_EQ(last_run(scheduler).retry_attempt, 1);
}

TEST_F(PipelineSchedulerTest, pauses_and_resumes) {
  write_daily();
  PipelineScheduler scheduler{options()};
  listen(scheduler);
  scheduler.start().value();
  const std::string id = only_id(scheduler);

  scheduler.pause(id).value();
  clock->advance(24h);
  EXPECT_EQ(scheduler.pause(id).error().code, FailureCode::invalid_argument);
  EXPECT_EQ(scheduler.get(id).value().state.status, Status::paused);
  EXPECT_EQ(scheduler.get(id).value().state.next_run, std::nullopt);
  EXPECT_THAT(scheduler.upcoming().value(), IsEmpty());
  EXPECT_TRUE(scheduler.trigger_now(id).value().success);
  scheduler.resume(id).value();
  clock->advance(1h + 30s);

  (void)completed.take();
  EXPECT_THAT(completed.take().run_name, HasSubstr("@2026-06-02T10:00:00Z"));
}

TEST_F(PipelineSchedulerTest, cancels_what_is_running) {
  write_daily();
  Mailbox<int> asked;
  PipelineScheduler scheduler{options([&](const AiQuestion& question) {
    Mailbox<int> stopped;
    const std::stop_callback callback{question.stop, [&] { stopped.put(1); }};
    asked.put(1);
    (void)stopped.take();
    return AiAnswer::failed("cancelled");
  })};
  listen(scheduler);
  scheduler.start().value();
  const std::string id = only_id(scheduler);
  const std::string run = scheduler.trigger(id).value();
  (void)asked.take();
  EXPECT_EQ(scheduler.get(id).value().state.status, Status::running);

  EXPECT_EQ(scheduler.cancel(id).value(), 1U);

  const ExecutionError event = failed.take();
  EXPECT_EQ(event.run_id, run);
  EXPECT_EQ(event.kind, ExecutionError::Kind::cancelled);
}

TEST_F(PipelineSchedulerTest, lists_what_comes_next) {
  write_daily();
  PipelineScheduler scheduler{options()};
  scheduler.start().value();

  const auto upcoming = scheduler.upcoming(2).value();

  ASSERT_THAT(upcoming, SizeIs(2));
  EXPECT_EQ(upcoming[0].pipeline_id, "daily-report");
  EXPECT_EQ(upcoming[0].next_run, nine + 1h);
  EXPECT_EQ(upcoming[1].next_run, nine + 25h);
}

TEST_F(PipelineSchedulerTest, tells_how_far_a_run_is) {
  write_daily();
  PipelineSchedulerOptions with = options();
  Mailbox<PipelineProgress> told;
  with.process_tracker = [&](const PipelineProgress& progress) {
    told.put(progress);
    throw std::runtime_error{"a tracker that throws harms nothing"};
  };
  PipelineScheduler scheduler{with};
  scheduler.start().value();

  const auto result = scheduler.trigger_now(only_id(scheduler)).value();

  EXPECT_TRUE(result.success) << result.error;
  PipelineProgress last = told.take();
  while (last.items_done < 2) last = told.take();
  EXPECT_EQ(last.pipeline_id, "daily-report");
  EXPECT_EQ(last.run_id, result.run_id);
  EXPECT_EQ(last.attempt, 1);
  EXPECT_EQ(last.items_failed, 0U);
}

TEST_F(PipelineSchedulerTest, tells_of_files_that_change_and_of_its_own_life) {
  write_daily();
  PipelineScheduler scheduler{options()};
  listen(scheduler);
  scheduler.start().value();
  EXPECT_EQ(changed.take().change, ScheduleChange::Kind::added);

  folder.write("daily-report/pipeline.yaml", daily("  missedExecution: skip\n"));

  const ScheduleChange change = changed.take();
  EXPECT_EQ(change.change, ScheduleChange::Kind::updated);
  EXPECT_EQ(change.pipeline_id, "daily-report");
  EXPECT_EQ(change.schedule_id, only_id(scheduler));
  scheduler.stop().value();
  for (const auto status :
       {SchedulerStatus::starting, SchedulerStatus::running, SchedulerStatus::stopping, SchedulerStatus::stopped})
    EXPECT_EQ(statuses.take(), status);
}

TEST_F(PipelineSchedulerTest, shows_files_with_faults_also_where_no_schedule_is_in_force) {
  write_daily();
  folder.write("broken/pipeline.yaml", daily("  missedExecution: perhaps\n"));
  PipelineScheduler scheduler{options()};
  scheduler.start().value();

  const auto faults = scheduler.faults().value();

  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults.front().file, "broken/pipeline.yaml");
  EXPECT_EQ(faults.front().line, 5U);
  EXPECT_THAT(scheduler.list().value(), SizeIs(1));
}

}  // namespace
}  // namespace carillon::testing
