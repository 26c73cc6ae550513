#pragma once

#include "executors/pipeline/pipeline_executor.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "executors/pipeline/providers.hpp"
#include "library/pipeline_names.hpp"
#include "library/scheduler_core.hpp"
#include "packages/file_faults.hpp"
#include "packages/package_state_files.hpp"
#include "packages/watched_folder.hpp"

#include <carillon/pipeline_scheduler.hpp>

#include <filesystem>
#include <memory>

namespace carillon {

/// An error `invalid_argument` that names the first option that cannot be used.
[[nodiscard]] Result<> check_options(const PipelineSchedulerOptions& options);

/// The wiring of one PipelineScheduler from its start on: what every embedded scheduler consists of, with an executor
/// of pipelines and a watched folder.
class EmbeddedPipelines {
 public:
  /// What is there before and outlives it.
  struct Host {
    const PipelineSchedulerOptions& options;
    SchedulerSurroundings& around;
    SchedulerListeners& listeners;
    const void* scheduler;  // that SchedulerCallback knows
  };
  /// Takes the folder and its store, and puts the schedules of all packages in force.
  [[nodiscard]] static Result<std::unique_ptr<EmbeddedPipelines>> open(const Host& host);

  void start();
  /// Writes the last states and gives the folder back; what is asked is still answered.
  void stop(Duration timeout);

  [[nodiscard]] SchedulerCore& core() { return core_; }
  [[nodiscard]] PipelineNames& names() { return names_; }
  [[nodiscard]] const packages::FileFaults& faults() const { return faults_; }
  [[nodiscard]] Clock& clock() { return core_.base.around.clock; }
  /// Wakes whoever waits for a run.
  void wake_waiting() { base_.changes.add(); }

  /// None: it is no schedule of a pipeline.
  [[nodiscard]] Result<std::optional<PipelineScheduleInfo>> info(const ScheduleAnswer& answer);
  /// What a package has brought from another place; none: nothing.
  [[nodiscard]] std::optional<packages::PackageState> earlier(const std::string& schedule_id) const {
    return states_.earlier(schedule_id);
  }

 private:
  EmbeddedPipelines(const Host& host, std::filesystem::path folder, SchedulerStore store);
  [[nodiscard]] PipelineOptions executor_options(const Host& host) const;
  [[nodiscard]] Result<> watch(const Host& host, packages::ClaimedFolder claimed);

  const std::filesystem::path folder_;
  const std::size_t history_count_;
  SchedulerBase base_;
  packages::FileFaults faults_;
  packages::PackageStateFiles states_;  // only read here
  pipeline::Providers providers_;
  pipeline::PipelineRunner runner_;
  PipelineExecutor executor_;
  SchedulerCore core_;
  PipelineNames names_;
  std::unique_ptr<packages::WatchedFolder> watched_;  // none: it was stopped
};

}  // namespace carillon
