#include "library/pipeline_answers.hpp"

#include "document/document.hpp"

#include <boost/json/object.hpp>

#include <utility>
#include <variant>

namespace carillon {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

std::optional<TimePoint> time_of(const std::optional<Instant>& time) {
  return time ? std::optional<TimePoint>{*time} : std::nullopt;
}

std::optional<milliseconds> length_of(const std::optional<std::int64_t>& count) {
  return count ? std::optional{milliseconds{*count}} : std::nullopt;
}

PipelineScheduleState::Status public_status_of(packages::PackageStatus status) {
  using enum PipelineScheduleState::Status;
  switch (status) {
    case packages::PackageStatus::idle: return idle;
    case packages::PackageStatus::running: return running;
    case packages::PackageStatus::paused: return paused;
    case packages::PackageStatus::error: return error;
    case packages::PackageStatus::disabled: return disabled;
  }
  std::unreachable();
}

PipelineProgress::Phase public_phase(pipeline::Phase phase) {
  using enum PipelineProgress::Phase;
  switch (phase) {
    case pipeline::Phase::input: return input;
    case pipeline::Phase::filter: return filter;
    case pipeline::Phase::map: return map;
    case pipeline::Phase::reduce: return reduce;
    case pipeline::Phase::job: return job;
  }
  std::unreachable();
}

std::optional<std::int64_t> count_in(const json::object& members, std::string_view name) {
  const json::value* const value = members.if_contains(name);
  return value != nullptr && value->is_int64() ? std::optional{value->get_int64()} : std::nullopt;
}

std::optional<std::string> text_in_result(const json::object& members, std::string_view name) {
  const json::value* const value = members.if_contains(name);
  return value != nullptr && value->is_string() ? std::optional<std::string>{value->get_string()} : std::nullopt;
}

}  // namespace

PipelineScheduleConfig pipeline_config(const ScheduleDocument& document) {
  const Policies& policies = document.policies;
  PipelineScheduleConfig config{.cron = document.spec.crons.empty() ? std::string{} : document.spec.crons.front(),
                                .timezone = document.spec.timezone,
                                .enabled = document.enabled,
                                .max_retries = policies.retry.attempt_count_max - 1,
                                .retry_delay = policies.retry.initial};
  if (policies.catchup.policy == CatchupPolicy::none)
    config.missed_execution = PipelineScheduleConfig::MissedExecution::skip;
  if (policies.catchup.window) config.max_delay = *policies.catchup.window;
  return config;
}

PipelineRun pipeline_run(const packages::PackageRun& run) {
  return {.started_at = run.started_at,
          .completed_at = time_of(run.completed_at),
          .success = run.is_success,
          .duration = length_of(run.duration_ms),
          .items_processed = run.items_processed,
          .result_file = run.result_file,
          .error = run.error,
          .retry_attempt = run.retry_attempt};
}

PipelineScheduleState pipeline_state(const packages::PackageState& state) {
  using Status = PipelineScheduleState::Status;
  PipelineScheduleState shown{.status = public_status_of(state.status),
                              .enabled = state.is_enabled,
                              .stats = {.total_runs = state.stats.total_runs,
                                        .successful_runs = state.stats.successful_runs,
                                        .failed_runs = state.stats.failed_runs,
                                        .last_failure = time_of(state.stats.last_failure),
                                        .average_duration = length_of(state.stats.average_duration_ms)}};
  if (state.last_run) shown.last_run = pipeline_run(*state.last_run);
  if (shown.status != Status::paused && shown.status != Status::disabled) shown.next_run = time_of(state.next_run);
  for (const packages::PackageRun& run : state.history) shown.history.push_back(pipeline_run(run));
  return shown;
}

PipelineFileFault pipeline_fault(const pipeline::FileFault& fault) {
  return {.file = fault.file,
          .line = fault.position.line,
          .column = fault.position.column,
          .message = fault.message,
          .hint = fault.hint};
}

PipelineExecutionResult pipeline_result(const RunAnswer& run) {
  PipelineExecutionResult result{.run_id = run.id, .success = run.record.run.state == RunState::succeeded};
  if (run.duration) result.duration = *run.duration;
  if (!result.success) result.error = run.error.empty() ? std::string{to_text(run.record.run.state)} : run.error;
  const auto document = run.record.result ? parse_json(*run.record.result) : Result<json::value>{json::value{}};
  const json::object* const members = document ? document->if_object() : nullptr;
  if (members == nullptr) return result;
  result.output = text_in_result(*members, "output");
  result.result_file = text_in_result(*members, "resultFile").value_or("");
  result.total_items = count_in(*members, "totalItems");
  result.failed_items = count_in(*members, "failedItems");
  return result;
}

PipelineProgress pipeline_progress(const Assignment& assignment, const pipeline::RunProgress& progress) {
  return {.schedule_id = assignment.envelope.schedule_id,
          .pipeline_id = std::get<PipelineAction>(assignment.action).path,
          .run_id = assignment.envelope.run_id,
          .attempt = assignment.envelope.attempt,
          .phase = public_phase(progress.phase),
          .items_done = progress.items.total,
          .items_failed = progress.items.failed(),
          .items_total = progress.total,
          .calls = progress.spent.calls,
          .input_tokens = progress.spent.input_tokens,
          .output_tokens = progress.spent.output_tokens};
}

}  // namespace carillon
