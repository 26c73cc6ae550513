#include "api/rest/routes.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <array>

namespace carillon::rest {
namespace {

using http::Method;

constexpr std::array table{
    Route{Method::get, "/api/v1/schedules", Scope::read, ExecutionMode::slow, "listSchedules", list_schedules},
    Route{Method::post,
          "/api/v1/schedules",
          Scope::edit,
          ExecutionMode::slow,
          "createSchedule",
          create_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/batch-delete",
          Scope::edit,
          ExecutionMode::slow,
          "batchDeleteSchedules",
          batch_delete_schedules,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/batch",
          Scope::operate,
          ExecutionMode::slow,
          "batchSchedules",
          batch_schedules,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/preview",
          Scope::read,
          ExecutionMode::question,
          "previewSchedule",
          preview_schedule,
          {.takes_body = true}},
    Route{Method::get, "/api/v1/schedules/{id}", Scope::read, ExecutionMode::cached, "getSchedule", get_schedule},
    Route{Method::put,
          "/api/v1/schedules/{id}",
          Scope::edit,
          ExecutionMode::slow,
          "putSchedule",
          put_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::patch,
          "/api/v1/schedules/{id}",
          Scope::edit,
          ExecutionMode::slow,
          "patchSchedule",
          patch_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::del,
          "/api/v1/schedules/{id}",
          Scope::edit,
          ExecutionMode::slow,
          "deleteSchedule",
          delete_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/pause",
          Scope::operate,
          ExecutionMode::slow,
          "pauseSchedule",
          pause_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/resume",
          Scope::operate,
          ExecutionMode::slow,
          "resumeSchedule",
          resume_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/enable",
          Scope::operate,
          ExecutionMode::slow,
          "enableSchedule",
          enable_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/disable",
          Scope::operate,
          ExecutionMode::slow,
          "disableSchedule",
          disable_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/reset",
          Scope::operate,
          ExecutionMode::slow,
          "resetSchedule",
          reset_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/trigger",
          Scope::operate,
          ExecutionMode::slow,
          "triggerSchedule",
          trigger_schedule,
          {.takes_body = true, .starts_run = true}},
    Route{Method::post, "/api/v1/schedules/{id}/cancel", Scope::operate, ExecutionMode::slow, "cancelSchedule",
          cancel_schedule},
    Route{Method::get, "/api/v1/schedules/{id}/next-runs", Scope::read, ExecutionMode::question, "listNextRuns",
          next_runs},
    Route{Method::get, "/api/v1/schedules/{id}/occurrences", Scope::read, ExecutionMode::question, "listOccurrences",
          list_occurrences},
    Route{Method::get, "/api/v1/schedules/{id}/why", Scope::read, ExecutionMode::question, "explainOccurrence",
          explain_occurrence},
    Route{Method::get, "/api/v1/schedules/{id}/runs", Scope::read, ExecutionMode::slow, "listScheduleRuns",
          list_schedule_runs},
    Route{Method::post,
          "/api/v1/schedules/{id}/backfills/preview",
          Scope::read,
          ExecutionMode::question,
          "previewBackfill",
          preview_backfill,
          {.takes_body = true}},
    Route{Method::get, "/api/v1/schedules/{id}/backfills", Scope::read, ExecutionMode::slow, "listBackfills",
          list_backfills},
    Route{Method::post,
          "/api/v1/schedules/{id}/backfills",
          Scope::operate,
          ExecutionMode::slow,
          "createBackfill",
          create_backfill,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::get, "/api/v1/schedules/{id}/backfills/{backfill}", Scope::read, ExecutionMode::slow, "getBackfill",
          get_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/pause", Scope::operate, ExecutionMode::slow,
          "pauseBackfill", pause_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/resume", Scope::operate, ExecutionMode::slow,
          "resumeBackfill", resume_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/cancel", Scope::operate, ExecutionMode::slow,
          "cancelBackfill", cancel_backfill},
    Route{Method::get, "/api/v1/runs", Scope::read, ExecutionMode::slow, "listRuns", list_runs},
    Route{Method::get, "/api/v1/runs/{run}", Scope::read, ExecutionMode::slow, "getRun", get_run},
    Route{Method::post, "/api/v1/runs/{run}/cancel", Scope::operate, ExecutionMode::slow, "cancelRun", cancel_run},
    Route{Method::post,
          "/api/v1/runs/{run}/retry",
          Scope::operate,
          ExecutionMode::slow,
          "retryRun",
          retry_run,
          {.starts_run = true}},
    Route{Method::get, "/api/v1/runs/{run}/logs", Scope::read, ExecutionMode::follow, "getRunLog", get_run_log},
    Route{Method::post,
          "/api/v1/jobs",
          Scope::operate,
          ExecutionMode::slow,
          "createJob",
          create_job,
          {.takes_body = true, .starts_run = true}},
    Route{Method::get, "/api/v1/jobs/{run}", Scope::read, ExecutionMode::slow, "getJob", get_job},
    Route{Method::post,
          "/api/v1/workers",
          Scope::work,
          ExecutionMode::slow,
          "openWorker",
          open_worker,
          {.takes_body = true, .has_secret = true}},
    Route{Method::del, "/api/v1/workers/{worker}", Scope::work, ExecutionMode::slow, "closeWorker", close_worker},
    Route{Method::post,
          "/api/v1/workers/{worker}/claim",
          Scope::work,
          ExecutionMode::claim,
          "claimJobs",
          claim_jobs,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/heartbeat",
          Scope::work,
          ExecutionMode::slow,
          "beatWorker",
          beat_worker,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/complete",
          Scope::work,
          ExecutionMode::slow,
          "completeJob",
          complete_job,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/fail",
          Scope::work,
          ExecutionMode::slow,
          "failJob",
          fail_job,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/logs",
          Scope::work,
          ExecutionMode::slow,
          "appendJobLog",
          append_job_log,
          {.takes_bytes = true}},
    Route{Method::get, "/api/v1/upcoming", Scope::read, ExecutionMode::question, "listUpcoming", list_upcoming},
    Route{Method::get, "/api/v1/load", Scope::read, ExecutionMode::question, "getLoad", get_load},
    Route{Method::get, "/api/v1/queues", Scope::read, ExecutionMode::slow, "listQueues", list_queues},
    Route{Method::post, "/api/v1/queues/{queue}/pause", Scope::operate, ExecutionMode::slow, "pauseQueue", pause_queue},
    Route{Method::post, "/api/v1/queues/{queue}/resume", Scope::operate, ExecutionMode::slow, "resumeQueue",
          resume_queue},
    Route{Method::get, "/api/v1/tokens", Scope::administer, ExecutionMode::slow, "listTokens", list_tokens},
    Route{Method::post,
          "/api/v1/tokens",
          Scope::administer,
          ExecutionMode::slow,
          "createToken",
          create_token,
          {.takes_body = true, .has_secret = true}},
    Route{Method::del, "/api/v1/tokens/{token}", Scope::administer, ExecutionMode::slow, "revokeToken", revoke_token},
    Route{Method::get, "/api/v1/audit", Scope::administer, ExecutionMode::slow, "listAudit", list_audit},
    Route{Method::get, "/api/v1/audit/verify", Scope::administer, ExecutionMode::slow, "verifyAudit", verify_audit},
    Route{Method::get, "/api/v1/system", Scope::read, ExecutionMode::slow, "getSystem", get_system},
    Route{Method::get, "/api/v1/events", Scope::read, ExecutionMode::events, "streamEvents", nullptr},
    Route{Method::get, "/livez", Scope::open, ExecutionMode::quick, "getLivez", get_livez},
    Route{Method::get, "/readyz", Scope::open, ExecutionMode::slow, "getReadyz", get_readyz},
    Route{Method::get, "/version", Scope::read, ExecutionMode::quick, "getVersion", get_version},
    Route{Method::get, "/metrics", Scope::read, ExecutionMode::slow, "getMetrics", get_metrics},
    Route{Method::get, "/openapi.json", Scope::read, ExecutionMode::quick, "getOpenapi", get_openapi},
};

/// A pattern's segments beside a request's; what stands in braces takes anything.
bool fits(std::string_view pattern, const std::vector<std::string>& segments, std::vector<std::string>& ids) {
  ids.clear();
  std::size_t i = 0;
  pattern.remove_prefix(1);
  for (;; ++i) {
    const std::size_t slash = pattern.find('/');
    const std::string_view part = pattern.substr(0, slash);
    if (i >= segments.size()) return false;
    if (part.starts_with('{')) {
      if (segments[i].empty()) return false;
      ids.push_back(segments[i]);
    } else if (part != segments[i]) {
      return false;
    }
    if (slash == std::string_view::npos) return i + 1 == segments.size();
    pattern.remove_prefix(slash + 1);
  }
}

/// A slash at the end means nothing.
std::vector<std::string> trimmed(std::vector<std::string> segments) {
  if (segments.size() > 1 && segments.back().empty()) segments.pop_back();
  return segments;
}

bool answers(const Route& route, Method method) {
  return route.method == method || (method == Method::head && route.method == Method::get);
}

/// The routes of an address: all that have the pattern of the first one that fits. Patterns with a word stand in the
/// table before those that have a place for an id there.
std::vector<const Route*> routes_at(const std::vector<std::string>& segments, std::vector<std::string>& ids) {
  std::vector<const Route*> found;
  for (const Route& route : table)
    if (found.empty() ? fits(route.pattern, segments, ids) : route.pattern == found.front()->pattern)
      found.push_back(&route);
  return found;
}

}  // namespace

std::span<const Route> routes() { return table; }

std::optional<Match> match(Method method, const std::vector<std::string>& segments) {
  std::vector<std::string> ids;
  const auto found = routes_at(trimmed(segments), ids);
  if (found.empty()) return std::nullopt;
  for (const Route* route : found)
    if (answers(*route, method)) return Match{.route = route, .ids = std::move(ids)};
  return Match{};
}

const Route& route_of(std::string_view operation) {
  const auto found = std::ranges::find(table, operation, &Route::operation);
  CARILLON_ASSERT(found != table.end());
  return *found;
}

std::string allowed_methods(const std::vector<std::string>& segments) {
  std::vector<std::string> ids;
  std::string methods;
  for (const Route* route : routes_at(trimmed(segments), ids)) {
    if (!methods.empty()) methods += ", ";
    methods += word_of(route->method);
    if (route->method == Method::get) methods += ", HEAD";
  }
  return methods;
}

std::string_view word_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::other: break;
  }
  return "";
}

}  // namespace carillon::rest
