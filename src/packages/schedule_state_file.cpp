#include "packages/schedule_state_file.hpp"

#include "document/document.hpp"
#include "document/reader.hpp"
#include "packages/millisecond_text.hpp"
#include "pipeline/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace carillon::packages {
namespace {

namespace json = boost::json;

constexpr std::int64_t state_version = 1;
/// In the order of PackageStatus.
constexpr std::array<std::string_view, 5> status_words{"idle", "running", "paused", "error", "disabled"};

json::value time_or_null(const std::optional<Instant>& time) {
  if (!time) return nullptr;
  return json::value(text_with_milliseconds(*time));
}

json::object written(const PackageRun& run) {
  json::object members{{"startedAt", text_with_milliseconds(run.started_at)},
                       {"completedAt", time_or_null(run.completed_at)},
                       {"success", run.is_success}};
  if (run.duration_ms) members["duration"] = *run.duration_ms;
  if (run.items_processed) members["itemsProcessed"] = *run.items_processed;
  if (!run.result_file.empty()) members["resultFile"] = run.result_file;
  if (!run.error.empty()) members["error"] = run.error;
  if (run.retry_attempt) members["retryAttempt"] = *run.retry_attempt;
  return members;
}

json::object written(const PackageStats& stats) {
  json::object members{{"totalRuns", stats.total_runs},
                       {"successfulRuns", stats.successful_runs},
                       {"failedRuns", stats.failed_runs},
                       {"lastFailure", time_or_null(stats.last_failure)}};
  if (stats.average_duration_ms) members["averageDuration"] = *stats.average_duration_ms;
  return members;
}

/// Notes a member that must be there.
template <typename T>
T required(ObjectReader& reader, std::string_view key, std::optional<T> value, Problems& problems) {
  // Of a value of another type there is a problem already.
  if (!value && problems.empty()) reader.problem(key, "missing", fmt::format("{} is missing", key));
  return value.value_or(T{});
}

PackageRun read_run(const json::value& value, std::string pointer, Problems& problems) {
  ObjectReader reader{value, std::move(pointer), problems};
  PackageRun run{.started_at = required(reader, "startedAt", reader.instant("startedAt"), problems),
                 .completed_at = reader.instant("completedAt"),
                 .is_success = required(reader, "success", reader.boolean("success"), problems),
                 .duration_ms = reader.integer("duration"),
                 .items_processed = reader.integer("itemsProcessed"),
                 .retry_attempt = reader.integer("retryAttempt")};
  run.result_file = reader.text("resultFile").value_or("");
  run.error = reader.text("error").value_or("");
  return run;
}

PackageStats read_stats(const json::value& value, Problems& problems) {
  ObjectReader reader{value, "/stats", problems};
  return {.total_runs = required(reader, "totalRuns", reader.integer("totalRuns"), problems),
          .successful_runs = required(reader, "successfulRuns", reader.integer("successfulRuns"), problems),
          .failed_runs = required(reader, "failedRuns", reader.integer("failedRuns"), problems),
          .last_failure = reader.instant("lastFailure"),
          .average_duration_ms = reader.integer("averageDuration")};
}

std::vector<PackageRun> read_history(ObjectReader& reader, Problems& problems) {
  std::vector<PackageRun> history;
  const json::value* const list = reader.member("history");
  if (list == nullptr) return history;
  if (!list->is_array()) {
    reader.problem("history", "wrong-type", "history is no list");
    return history;
  }
  for (const json::value& run : list->get_array()) {
    if (history.size() == history_count_max) break;
    history.push_back(read_run(run, fmt::format("/history/{}", history.size()), problems));
  }
  return history;
}

/// Before anything else: of another version no member is known to mean the same.
Result<> check_version(const json::value& document) {
  const json::object* const members = document.if_object();
  const json::value* const version = members == nullptr ? nullptr : members->if_contains("version");
  if (version == nullptr || !version->is_int64()) return fail(ErrorCode::corrupt, "it has no version");
  if (version->get_int64() == state_version) return {};
  return fail(ErrorCode::corrupt, "it is of version {}, and this program knows version {} only", version->get_int64(),
              state_version);
}

}  // namespace

PackageStatus status_of(const PackageConditions& conditions) {
  if (conditions.is_disabled) return PackageStatus::disabled;
  if (conditions.is_paused) return PackageStatus::paused;
  if (conditions.is_running) return PackageStatus::running;
  return conditions.has_failed ? PackageStatus::error : PackageStatus::idle;
}

std::string write_package_state(const PackageState& state) {
  const bool has_next = state.status != PackageStatus::paused && state.status != PackageStatus::disabled;
  json::array history;
  for (const PackageRun& run : state.history)
    if (history.size() < history_count_max) history.push_back(written(run));
  const json::object members{{"version", state_version},
                             {"scheduleId", state.schedule_id},
                             {"pipelineId", state.pipeline_id},
                             {"status", status_words[static_cast<std::size_t>(state.status)]},
                             {"enabled", state.is_enabled},
                             {"lastRun", state.last_run ? json::value(written(*state.last_run)) : json::value{}},
                             {"nextRun", has_next ? time_or_null(state.next_run) : json::value{}},
                             {"stats", written(state.stats)},
                             {"history", std::move(history)}};
  return pipeline::indented(members) + "\n";
}

Result<PackageState> read_package_state(std::string_view text) {
  const json::value document = TRY(parse_json(text));
  TRY(check_version(document));
  Problems problems;
  ObjectReader reader{document, "", problems};
  PackageState state{
      .schedule_id = std::string{required(reader, "scheduleId", reader.text("scheduleId"), problems)},
      .pipeline_id = std::string{required(reader, "pipelineId", reader.text("pipelineId"), problems)},
      .status = static_cast<PackageStatus>(required(reader, "status", reader.word("status", status_words), problems)),
      .is_enabled = required(reader, "enabled", reader.boolean("enabled"), problems),
      .next_run = reader.instant("nextRun")};
  if (const json::value* run = reader.member("lastRun")) state.last_run = read_run(*run, "/lastRun", problems);
  if (const json::value* stats = reader.member("stats")) state.stats = read_stats(*stats, problems);
  state.history = read_history(reader, problems);
  if (problems.empty()) return state;
  Error error = to_error(problems);
  error.code = ErrorCode::corrupt;
  return std::unexpected(std::move(error));
}

}  // namespace carillon::packages
