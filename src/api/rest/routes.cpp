#include "api/rest/routes.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <array>

namespace carillon::rest {
namespace {

using http::Method;

constexpr std::array table{
    Route{Method::get, "/api/v1/schedules", Scope::read, Manner::slow, "listSchedules", list_schedules},
    Route{Method::post,
          "/api/v1/schedules",
          Scope::edit,
          Manner::slow,
          "createSchedule",
          create_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/batch-delete",
          Scope::edit,
          Manner::slow,
          "batchDeleteSchedules",
          batch_delete_schedules,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/batch",
          Scope::operate,
          Manner::slow,
          "batchSchedules",
          batch_schedules,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/preview",
          Scope::read,
          Manner::question,
          "previewSchedule",
          preview_schedule,
          {.takes_body = true}},
    Route{Method::get, "/api/v1/schedules/{id}", Scope::read, Manner::cached, "getSchedule", get_schedule},
    Route{Method::put,
          "/api/v1/schedules/{id}",
          Scope::edit,
          Manner::slow,
          "putSchedule",
          put_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::patch,
          "/api/v1/schedules/{id}",
          Scope::edit,
          Manner::slow,
          "patchSchedule",
          patch_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::del,
          "/api/v1/schedules/{id}",
          Scope::edit,
          Manner::slow,
          "deleteSchedule",
          delete_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/pause",
          Scope::operate,
          Manner::slow,
          "pauseSchedule",
          pause_schedule,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/resume",
          Scope::operate,
          Manner::slow,
          "resumeSchedule",
          resume_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/enable",
          Scope::operate,
          Manner::slow,
          "enableSchedule",
          enable_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/disable",
          Scope::operate,
          Manner::slow,
          "disableSchedule",
          disable_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/reset",
          Scope::operate,
          Manner::slow,
          "resetSchedule",
          reset_schedule,
          {.has_dry_run = true}},
    Route{Method::post,
          "/api/v1/schedules/{id}/trigger",
          Scope::operate,
          Manner::slow,
          "triggerSchedule",
          trigger_schedule,
          {.takes_body = true, .starts_run = true}},
    Route{Method::post, "/api/v1/schedules/{id}/cancel", Scope::operate, Manner::slow, "cancelSchedule",
          cancel_schedule},
    Route{Method::get, "/api/v1/schedules/{id}/next-runs", Scope::read, Manner::question, "listNextRuns", next_runs},
    Route{Method::get, "/api/v1/schedules/{id}/occurrences", Scope::read, Manner::question, "listOccurrences",
          list_occurrences},
    Route{Method::get, "/api/v1/schedules/{id}/why", Scope::read, Manner::question, "explainOccurrence",
          explain_occurrence},
    Route{Method::get, "/api/v1/schedules/{id}/runs", Scope::read, Manner::slow, "listScheduleRuns",
          list_schedule_runs},
    Route{Method::post,
          "/api/v1/schedules/{id}/backfills/preview",
          Scope::read,
          Manner::question,
          "previewBackfill",
          preview_backfill,
          {.takes_body = true}},
    Route{Method::get, "/api/v1/schedules/{id}/backfills", Scope::read, Manner::slow, "listBackfills", list_backfills},
    Route{Method::post,
          "/api/v1/schedules/{id}/backfills",
          Scope::operate,
          Manner::slow,
          "createBackfill",
          create_backfill,
          {.takes_body = true, .has_dry_run = true}},
    Route{Method::get, "/api/v1/schedules/{id}/backfills/{backfill}", Scope::read, Manner::slow, "getBackfill",
          get_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/pause", Scope::operate, Manner::slow,
          "pauseBackfill", pause_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/resume", Scope::operate, Manner::slow,
          "resumeBackfill", resume_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/cancel", Scope::operate, Manner::slow,
          "cancelBackfill", cancel_backfill},
    Route{Method::get, "/api/v1/runs", Scope::read, Manner::slow, "listRuns", list_runs},
    Route{Method::get, "/api/v1/runs/{run}", Scope::read, Manner::slow, "getRun", get_run},
    Route{Method::post, "/api/v1/runs/{run}/cancel", Scope::operate, Manner::slow, "cancelRun", cancel_run},
    Route{Method::post,
          "/api/v1/runs/{run}/retry",
          Scope::operate,
          Manner::slow,
          "retryRun",
          retry_run,
          {.starts_run = true}},
    Route{Method::get, "/api/v1/runs/{run}/logs", Scope::read, Manner::follow, "getRunLog", get_run_log},
    Route{Method::post,
          "/api/v1/jobs",
          Scope::operate,
          Manner::slow,
          "createJob",
          create_job,
          {.takes_body = true, .starts_run = true}},
    Route{Method::get, "/api/v1/jobs/{run}", Scope::read, Manner::slow, "getJob", get_job},
    Route{Method::post,
          "/api/v1/workers",
          Scope::work,
          Manner::slow,
          "openWorker",
          open_worker,
          {.takes_body = true, .has_secret = true}},
    Route{Method::del, "/api/v1/workers/{worker}", Scope::work, Manner::slow, "closeWorker", close_worker},
    Route{Method::post,
          "/api/v1/workers/{worker}/claim",
          Scope::work,
          Manner::claim,
          "claimJobs",
          claim_jobs,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/heartbeat",
          Scope::work,
          Manner::slow,
          "beatWorker",
          beat_worker,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/complete",
          Scope::work,
          Manner::slow,
          "completeJob",
          complete_job,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/fail",
          Scope::work,
          Manner::slow,
          "failJob",
          fail_job,
          {.takes_body = true}},
    Route{Method::post,
          "/api/v1/workers/{worker}/logs",
          Scope::work,
          Manner::slow,
          "appendJobLog",
          append_job_log,
          {.takes_bytes = true}},
    Route{Method::get, "/api/v1/upcoming", Scope::read, Manner::question, "listUpcoming", list_upcoming},
    Route{Method::get, "/api/v1/load", Scope::read, Manner::question, "getLoad", get_load},
    Route{Method::get, "/api/v1/queues", Scope::read, Manner::slow, "listQueues", list_queues},
    Route{Method::post, "/api/v1/queues/{queue}/pause", Scope::operate, Manner::slow, "pauseQueue", pause_queue},
    Route{Method::post, "/api/v1/queues/{queue}/resume", Scope::operate, Manner::slow, "resumeQueue", resume_queue},
    Route{Method::get, "/api/v1/tokens", Scope::administer, Manner::slow, "listTokens", list_tokens},
    Route{Method::post,
          "/api/v1/tokens",
          Scope::administer,
          Manner::slow,
          "createToken",
          create_token,
          {.takes_body = true, .has_secret = true}},
    Route{Method::del, "/api/v1/tokens/{token}", Scope::administer, Manner::slow, "revokeToken", revoke_token},
    Route{Method::get, "/api/v1/audit", Scope::administer, Manner::slow, "listAudit", list_audit},
    Route{Method::get, "/api/v1/audit/verify", Scope::administer, Manner::slow, "verifyAudit", verify_audit},
    Route{Method::get, "/api/v1/system", Scope::read, Manner::slow, "getSystem", get_system},
    Route{Method::get, "/api/v1/events", Scope::read, Manner::events, "streamEvents", nullptr},
    Route{Method::get, "/livez", Scope::open, Manner::quick, "getLivez", get_livez},
    Route{Method::get, "/readyz", Scope::open, Manner::slow, "getReadyz", get_readyz},
    Route{Method::get, "/version", Scope::read, Manner::quick, "getVersion", get_version},
    Route{Method::get, "/metrics", Scope::read, Manner::slow, "getMetrics", get_metrics},
    Route{Method::get, "/openapi.json", Scope::read, Manner::quick, "getOpenapi", get_openapi},
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
