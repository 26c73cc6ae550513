#pragma once

#include "library/scheduler_test.hpp"
#include "support/temporary_folder.hpp"

#include <carillon/carillon.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carillon::testing {

/// A folder of pipelines, a clock that stands still at nine on a Monday, and a host that answers.
class PipelineSchedulerTest : public ::testing::Test {
 protected:
  using SystemDays = std::chrono::sys_days;

  /// Two rows are asked about every day at ten.
  static std::string daily(std::string_view more = "") {
    return "name: Daily Bug Report\nschedule:\n  cron: \"0 10 * * *\"\n  timezone: UTC\n" + std::string{more} +
           "input:\n  from: {type: csv, path: bugs.csv}\nmap:\n  prompt: \"Categorize: {{title}}\"\n"
           "  output: [severity]\nreduce:\n  type: json\n";
  }
  void write_daily(std::string_view more = "") const {
    folder.write("daily-report/bugs.csv", "title\nTypo\nCrash\n");
    folder.write("daily-report/pipeline.yaml", daily(more));
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    std::ifstream stream{folder.path() / file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

  static AiAnswer answer_low(const AiQuestion&) { return {.response = R"({"severity": "low"})"}; }

  [[nodiscard]] PipelineSchedulerOptions options(AiInvoker invoker = answer_low) const {
    return {.pipelines_directory = folder.path(), .ai_invoker = std::move(invoker), .clock = clock};
  }
  /// With all of its events, as texts.
  void listen(PipelineScheduler& to) {
    to.listen({.execution_start = [this](const ExecutionStart& event) { started.put(event); },
               .execution_complete = [this](const ExecutionComplete& event) { completed.put(event); },
               .execution_error = [this](const ExecutionError& event) { failed.put(event); },
               .schedule_changed = [this](const ScheduleChange& event) { changed.put(event); },
               .scheduler_status = [this](SchedulerStatus status) { statuses.put(status); }});
  }
  static std::string only_id(const PipelineScheduler& of) { return of.list().value().at(0).schedule_id; }
  /// The newest run, when it has been written that it ended.
  static PipelineRun last_run(const PipelineScheduler& of, std::size_t count = 1) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < end) {
      const auto runs = of.history(only_id(of)).value();
      if (runs.size() >= count) return runs.front();
      std::this_thread::yield();
    }
    throw std::runtime_error{"no run has ended"};
  }

  const TimePoint nine = SystemDays{std::chrono::year{2026} / 6 / 1} + std::chrono::hours{9};
  std::shared_ptr<ManualWallClock> clock = std::make_shared<ManualWallClock>(nine);
  TemporaryFolder folder;
  Mailbox<ExecutionStart> started;
  Mailbox<ExecutionComplete> completed;
  Mailbox<ExecutionError> failed;
  Mailbox<ScheduleChange> changed;
  Mailbox<SchedulerStatus> statuses;
};

}  // namespace carillon::testing
