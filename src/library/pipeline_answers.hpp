#pragma once

#include "definitions/schedule_document.hpp"
#include "executors/pipeline/pipeline_runner.hpp"
#include "packages/schedule_state_file.hpp"
#include "pipeline/pipeline_document.hpp"
#include "ports/executor.hpp"
#include "service/run_answer.hpp"

#include <carillon/pipeline.hpp>

namespace carillon {

// What packages, pipelines and `service` know as the values of the public headers. Nothing is decided here.

[[nodiscard]] PipelineScheduleConfig pipeline_config(const ScheduleDocument& document);
[[nodiscard]] PipelineRun pipeline_run(const packages::PackageRun& run);
[[nodiscard]] PipelineScheduleState pipeline_state(const packages::PackageState& state);
[[nodiscard]] PipelineFileFault pipeline_fault(const pipeline::FileFault& fault);
[[nodiscard]] PipelineExecutionResult pipeline_result(const RunAnswer& run);
[[nodiscard]] PipelineProgress pipeline_progress(const Assignment& assignment, const pipeline::RunProgress& progress);

}  // namespace carillon
