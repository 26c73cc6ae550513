#include "document/document.hpp"
#include "packages/state_projection.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>

namespace carillon::packages {
namespace {

namespace json = boost::json;

/// One that was cancelled or expired while it waited never was a run to anybody.
bool has_ended(const RunAnswer& run) {
  const RunState state = run.record.run.state;
  if (!run.has_run() || !is_terminal(state)) return false;
  return run.record.run.started_at || (state != RunState::cancelled && state != RunState::expired);
}

std::int64_t milliseconds_of(Duration length) { return std::chrono::floor<std::chrono::milliseconds>(length).count(); }

PackageRun package_run_of(const RunAnswer& run) {
  const bool is_success = run.record.run.state == RunState::succeeded;
  PackageRun told{.started_at = run.record.run.started_at.value_or(run.record.run.queued_at),
                  .completed_at = run.record.run.ended_at,
                  .is_success = is_success,
                  .error = is_success ? std::string{} : run.error};
  if (run.duration) told.duration_ms = milliseconds_of(*run.duration);
  if (run.record.run.attempt > 1) told.retry_attempt = run.record.run.attempt - 1;
  if (!is_success && told.error.empty()) told.error = std::string{to_text(run.record.run.state)};
  return told;
}

/// What a pipeline leaves as the result of a run.
void add_result(PackageRun& told, const RunAnswer& run) {
  if (!run.record.result) return;
  const auto result = parse_json(*run.record.result);
  const json::object* const members = result ? result->if_object() : nullptr;
  if (members == nullptr) return;
  if (const json::value* items = members->if_contains("itemsProcessed"); items != nullptr && items->is_int64())
    told.items_processed = items->get_int64();
  if (const json::value* file = members->if_contains("resultFile"); file != nullptr && file->is_string())
    told.result_file = std::string{file->get_string()};
}

std::optional<std::int64_t> average_of(const std::vector<PackageRun>& history) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (const PackageRun& run : history) {
    sum += run.duration_ms.value_or(0);
    count += run.duration_ms.has_value();
  }
  return count == 0 ? std::nullopt : std::optional{sum / count};
}

PackageStats stats_of(const ScheduleAnswer& schedule, const std::vector<PackageRun>& history) {
  const auto open = std::ranges::count_if(schedule.record.view.live, [](const LiveRun& run) { return is_open(run); });
  PackageStats stats{.total_runs = schedule.counts.runs - open,
                     .successful_runs = schedule.counts.successes,
                     .failed_runs = schedule.counts.errors,
                     .average_duration_ms = average_of(history)};
  const auto failed = std::ranges::find(history, false, &PackageRun::is_success);
  if (failed != history.end()) stats.last_failure = failed->completed_at;
  return stats;
}

void add_earlier(PackageState& state, const PackageState& earlier, std::size_t history_count) {
  for (const PackageRun& run : earlier.history)
    if (state.history.size() < history_count) state.history.push_back(run);
  if (!state.last_run) state.last_run = earlier.last_run;
  state.stats.total_runs += earlier.stats.total_runs;
  state.stats.successful_runs += earlier.stats.successful_runs;
  state.stats.failed_runs += earlier.stats.failed_runs;
  if (!state.stats.last_failure) state.stats.last_failure = earlier.stats.last_failure;
  state.stats.average_duration_ms = average_of(state.history);
}

}  // namespace

std::optional<PackageRun> ended_package_run(const RunAnswer& run) {
  if (!has_ended(run)) return std::nullopt;
  PackageRun told = package_run_of(run);
  add_result(told, run);
  return told;
}

PackageState package_state_of(const std::string& package, const ScheduleAnswer& schedule,
                              std::span<const RunAnswer> runs, const std::optional<PackageState>& earlier,
                              std::size_t history_count) {
  const ScheduleState& now = schedule.record.view.state;
  PackageState state{.schedule_id = schedule.record.key.id.text(),
                     .pipeline_id = package,
                     .status = status_of({.is_disabled = now.status == ScheduleStatus::disabled,
                                          .is_paused = now.status == ScheduleStatus::paused,
                                          .is_running = schedule.activity == Activity::running,
                                          .has_failed = schedule.activity == Activity::error}),
                     .is_enabled = now.status != ScheduleStatus::disabled};
  if (schedule.next) state.next_run = schedule.next->nominal;
  for (const RunAnswer& run : runs) {
    if (!has_ended(run)) continue;
    if (state.history.size() < history_count) state.history.push_back(package_run_of(run));
    if (state.last_run) continue;
    state.last_run = state.history.front();
    add_result(*state.last_run, run);
  }
  state.stats = stats_of(schedule, state.history);
  if (earlier) add_earlier(state, *earlier, history_count);
  return state;
}

}  // namespace carillon::packages
