#pragma once

#include <carillon/handler.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace carillon {

/// The `schedule:` block of a pipeline.yaml.
struct PipelineScheduleConfig {
  enum class MissedExecution { run, skip };

  std::string cron;
  std::string timezone;
  bool enabled = true;
  std::int64_t max_retries = 3;
  std::chrono::microseconds retry_delay = std::chrono::minutes{1};  // before the first; twice that before the second …
  MissedExecution missed_execution = MissedExecution::run;
  std::optional<std::chrono::microseconds> max_delay{};  // `window`: later than this a missed one is skipped
};

/// A run of a pipeline that has ended, with all its attempts.
struct PipelineRun {
  TimePoint started_at{};
  std::optional<TimePoint> completed_at{};
  bool success = false;
  std::optional<std::chrono::milliseconds> duration{};
  std::optional<std::int64_t> items_processed{};
  std::string result_file{};                    // relative to the pipeline's directory; empty: none
  std::string error{};                          // empty: none
  std::optional<std::int64_t> retry_attempt{};  // number of its last retry; none: it took one attempt
};

struct PipelineStats {
  std::int64_t total_runs = 0;
  std::int64_t successful_runs = 0;
  std::int64_t failed_runs = 0;
  std::optional<TimePoint> last_failure{};
  std::optional<std::chrono::milliseconds> average_duration{};
};

/// What has become of a scheduled pipeline, as its `.schedule-state.json` tells too.
struct PipelineScheduleState {
  /// The first that holds: disabled, paused, running, error (the last run failed); else idle.
  enum class Status { idle, running, paused, error, disabled };

  Status status = Status::idle;
  bool enabled = true;
  std::optional<PipelineRun> last_run{};
  std::optional<TimePoint> next_run{};  // none while it is paused or disabled
  PipelineStats stats{};
  std::vector<PipelineRun> history{};  // newest first; only of the first are items and result file told
};

/// What is wrong with a file. While a file has a fault, its last good definition stays in force.
struct PipelineFileFault {
  std::string file;      // relative to the pipelines directory
  std::size_t line = 0;  // from 1; 0: it is about the whole file
  std::size_t column = 0;
  std::string message;
  std::string hint{};
};

/// A pipeline with a schedule.
struct PipelineScheduleInfo {
  std::string schedule_id;
  std::string pipeline_id;  // path of its directory, relative to the pipelines directory
  std::string pipeline_name;
  std::filesystem::path pipeline_directory;
  PipelineScheduleConfig config{};
  PipelineScheduleState state{};
  std::optional<std::chrono::microseconds> next_run_in{};
  std::vector<PipelineFileFault> faults{};  // of its file as it is now
};

/// How a run that was waited for has ended.
struct PipelineExecutionResult {
  std::string run_id;
  bool success = false;
  std::string error{};                        // empty if it succeeded
  std::optional<std::string> output{};        // formatted by `reduce`; none if it failed or has more than 16 KiB
  std::string result_file{};                  // holds everything; relative to the pipeline's directory; empty: none
  std::optional<std::int64_t> total_items{};  // none: the run did not get that far
  std::optional<std::int64_t> failed_items{};
  std::optional<std::chrono::microseconds> duration{};
};

/// A planned start.
struct UpcomingPipeline {
  std::string schedule_id;
  std::string pipeline_id;
  TimePoint next_run{};
};

/// How far an attempt is.
struct PipelineProgress {
  enum class Phase { input, filter, map, reduce, job };

  std::string schedule_id;
  std::string pipeline_id;
  std::string run_id;
  std::int64_t attempt = 0;  // from 1
  Phase phase = Phase::input;
  std::size_t items_done = 0;  // failed ones among them
  std::size_t items_failed = 0;
  std::optional<std::size_t> items_total{};  // none: not known yet
  std::int64_t calls = 0;                    // questions of all attempts of the run
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

}  // namespace carillon
