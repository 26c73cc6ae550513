#include "api/rest/routes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace carillon::rest {
namespace {

using http::Method;

using Id = OperationId;
using Mode = ExecutionMode;

constexpr std::array table{
    Route{Method::get, "/api/v1/schedules", Id::list_schedules, Mode::slow, list_schedules},
    Route{Method::post, "/api/v1/schedules", Id::create_schedule, Mode::slow, create_schedule, BodyKind::json},
    Route{Method::post, "/api/v1/schedules/batch-delete", Id::batch_delete_schedules, Mode::slow,
          batch_delete_schedules, BodyKind::json},
    Route{Method::post, "/api/v1/schedules/batch", Id::batch_schedules, Mode::slow, batch_schedules, BodyKind::json},
    Route{Method::post, "/api/v1/schedules/preview", Id::preview_schedule, Mode::question, preview_schedule,
          BodyKind::json},
    Route{Method::get, "/api/v1/schedules/{id}", Id::get_schedule, Mode::cached, get_schedule},
    Route{Method::put, "/api/v1/schedules/{id}", Id::put_schedule, Mode::slow, put_schedule, BodyKind::json},
    Route{Method::patch, "/api/v1/schedules/{id}", Id::patch_schedule, Mode::slow, patch_schedule, BodyKind::json},
    Route{Method::del, "/api/v1/schedules/{id}", Id::delete_schedule, Mode::slow, delete_schedule},
    Route{Method::post, "/api/v1/schedules/{id}/pause", Id::pause_schedule, Mode::slow, pause_schedule, BodyKind::json},
    Route{Method::post, "/api/v1/schedules/{id}/resume", Id::resume_schedule, Mode::slow, resume_schedule,
          BodyKind::json},
    Route{Method::post, "/api/v1/schedules/{id}/enable", Id::enable_schedule, Mode::slow, enable_schedule},
    Route{Method::post, "/api/v1/schedules/{id}/disable", Id::disable_schedule, Mode::slow, disable_schedule},
    Route{Method::post, "/api/v1/schedules/{id}/reset", Id::reset_schedule, Mode::slow, reset_schedule},
    Route{Method::post, "/api/v1/schedules/{id}/trigger", Id::trigger_schedule, Mode::slow, trigger_schedule,
          BodyKind::json},
    Route{Method::post, "/api/v1/schedules/{id}/cancel", Id::cancel_schedule, Mode::slow, cancel_schedule},
    Route{Method::get, "/api/v1/schedules/{id}/next-runs", Id::list_next_runs, Mode::question, next_runs},
    Route{Method::get, "/api/v1/schedules/{id}/occurrences", Id::list_occurrences, Mode::question, list_occurrences},
    Route{Method::get, "/api/v1/schedules/{id}/why", Id::explain_occurrence, Mode::question, explain_occurrence},
    Route{Method::get, "/api/v1/schedules/{id}/revisions", Id::list_revisions, Mode::slow, list_revisions},
    Route{Method::get, "/api/v1/schedules/{id}/revisions/{revision}", Id::get_revision, Mode::slow, get_revision},
    Route{Method::get, "/api/v1/schedules/{id}/runs", Id::list_schedule_runs, Mode::slow, list_schedule_runs},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/preview", Id::preview_backfill, Mode::question,
          preview_backfill, BodyKind::json},
    Route{Method::get, "/api/v1/schedules/{id}/backfills", Id::list_backfills, Mode::slow, list_backfills},
    Route{Method::post, "/api/v1/schedules/{id}/backfills", Id::create_backfill, Mode::slow, create_backfill,
          BodyKind::json},
    Route{Method::get, "/api/v1/schedules/{id}/backfills/{backfill}", Id::get_backfill, Mode::slow, get_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/pause", Id::pause_backfill, Mode::slow,
          pause_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/resume", Id::resume_backfill, Mode::slow,
          resume_backfill},
    Route{Method::post, "/api/v1/schedules/{id}/backfills/{backfill}/cancel", Id::cancel_backfill, Mode::slow,
          cancel_backfill},
    Route{Method::get, "/api/v1/backfills", Id::list_all_backfills, Mode::slow, list_all_backfills},
    Route{Method::get, "/api/v1/runs", Id::list_runs, Mode::slow, list_runs},
    Route{Method::get, "/api/v1/runs/{run}", Id::get_run, Mode::slow, get_run},
    Route{Method::post, "/api/v1/runs/{run}/cancel", Id::cancel_run, Mode::slow, cancel_run},
    Route{Method::post, "/api/v1/runs/{run}/retry", Id::retry_run, Mode::slow, retry_run},
    Route{Method::get, "/api/v1/runs/{run}/logs", Id::get_run_log, Mode::follow, get_run_log},
    Route{Method::get, "/api/v1/runs/{run}/items", Id::list_run_items, Mode::question, list_run_items},
    Route{Method::post, "/api/v1/jobs", Id::create_job, Mode::slow, create_job, BodyKind::json},
    Route{Method::get, "/api/v1/jobs/{run}", Id::get_job, Mode::slow, get_job},
    Route{Method::get, "/api/v1/workers", Id::list_workers, Mode::slow, list_workers},
    Route{Method::post, "/api/v1/workers", Id::open_worker, Mode::slow, open_worker, BodyKind::json},
    Route{Method::del, "/api/v1/workers/{worker}", Id::close_worker, Mode::slow, close_worker},
    Route{Method::post, "/api/v1/workers/{worker}/claim", Id::claim_jobs, Mode::claim, nullptr, BodyKind::json},
    Route{Method::post, "/api/v1/workers/{worker}/heartbeat", Id::beat_worker, Mode::slow, beat_worker, BodyKind::json},
    Route{Method::post, "/api/v1/workers/{worker}/complete", Id::complete_job, Mode::slow, complete_job,
          BodyKind::json},
    Route{Method::post, "/api/v1/workers/{worker}/fail", Id::fail_job, Mode::slow, fail_job, BodyKind::json},
    Route{Method::post, "/api/v1/workers/{worker}/logs", Id::append_job_log, Mode::slow, append_job_log,
          BodyKind::bytes},
    Route{Method::get, "/api/v1/pipelines", Id::list_pipelines, Mode::question, list_pipelines},
    Route{Method::post, "/api/v1/pipelines/validate", Id::validate_pipeline, Mode::question, validate_pipeline,
          BodyKind::json},
    Route{Method::get, "/api/v1/upcoming", Id::list_upcoming, Mode::question, list_upcoming},
    Route{Method::get, "/api/v1/load", Id::get_load, Mode::question, get_load},
    Route{Method::get, "/api/v1/load/spread", Id::propose_spread, Mode::question, propose_spread},
    Route{Method::get, "/api/v1/timeline", Id::get_timeline, Mode::question, get_timeline},
    Route{Method::get, "/api/v1/calendar.ics", Id::get_calendar, Mode::question, get_calendar},
    Route{Method::get, "/api/v1/outcomes", Id::get_outcomes, Mode::question, get_outcomes},
    Route{Method::get, "/api/v1/queues", Id::list_queues, Mode::slow, list_queues},
    Route{Method::post, "/api/v1/queues/{queue}/pause", Id::pause_queue, Mode::slow, pause_queue},
    Route{Method::post, "/api/v1/queues/{queue}/resume", Id::resume_queue, Mode::slow, resume_queue},
    Route{Method::patch, "/api/v1/queues/{queue}", Id::patch_queue, Mode::slow, patch_queue, BodyKind::json},
    Route{Method::get, "/api/v1/dead-letters", Id::list_dead_letters, Mode::slow, list_dead_letters},
    Route{Method::post, "/api/v1/dead-letters/{run}/retry", Id::retry_dead_letter, Mode::slow, retry_dead_letter},
    Route{Method::del, "/api/v1/dead-letters/{run}", Id::discard_dead_letter, Mode::slow, discard_dead_letter},
    Route{Method::post, "/api/v1/locks/{lock}/acquire", Id::acquire_lock, Mode::slow, acquire_lock, BodyKind::json},
    Route{Method::post, "/api/v1/locks/{lock}/extend", Id::extend_lock, Mode::slow, extend_lock, BodyKind::json},
    Route{Method::post, "/api/v1/locks/{lock}/release", Id::release_lock, Mode::slow, release_lock, BodyKind::json},
    Route{Method::get, "/api/v1/locks/{lock}", Id::get_lock, Mode::slow, get_lock},
    Route{Method::get, "/api/v1/tokens", Id::list_tokens, Mode::slow, list_tokens},
    Route{Method::post, "/api/v1/tokens", Id::create_token, Mode::slow, create_token, BodyKind::json},
    Route{Method::del, "/api/v1/tokens/{token}", Id::revoke_token, Mode::slow, revoke_token},
    Route{Method::post, "/api/v1/sessions", Id::create_session, Mode::slow, create_session},
    Route{Method::get, "/api/v1/sessions/current", Id::get_session, Mode::slow, get_session},
    Route{Method::del, "/api/v1/sessions/current", Id::close_session, Mode::slow, close_session},
    Route{Method::post, "/api/v1/sessions/links", Id::create_session_link, Mode::slow, create_session_link},
    Route{Method::get, "/api/v1/audit", Id::list_audit, Mode::slow, list_audit},
    Route{Method::get, "/api/v1/audit/verify", Id::verify_audit, Mode::slow, verify_audit},
    Route{Method::get, "/api/v1/system", Id::get_system, Mode::slow, get_system},
    Route{Method::get, "/api/v1/events", Id::stream_events, Mode::events, nullptr},
    Route{Method::get, "/", Id::get_index, Mode::quick, get_index},
    Route{Method::get, "/livez", Id::get_livez, Mode::quick, get_livez},
    Route{Method::get, "/readyz", Id::get_readyz, Mode::slow, get_readyz},
    Route{Method::get, "/version", Id::get_version, Mode::quick, get_version},
    Route{Method::get, "/metrics", Id::get_metrics, Mode::slow, get_metrics},
    Route{Method::get, "/openapi.json", Id::get_openapi, Mode::quick, get_openapi},
};

constexpr std::array<std::size_t, table.size()> segment_counts = [] {
  std::array<std::size_t, table.size()> counts{};
  for (std::size_t i = 0; i < table.size(); ++i)
    counts.at(i) = static_cast<std::size_t>(std::ranges::count(table.at(i).pattern, '/'));
  return counts;
}();

/// A pattern's segments beside as many of a request; what stands in braces takes anything.
bool fits(std::string_view pattern, std::span<const std::string> segments, std::vector<std::string>& ids) {
  ids.clear();
  for (const std::string& segment : segments) {
    pattern.remove_prefix(1);
    const std::size_t slash = std::min(pattern.find('/'), pattern.size());
    const std::string_view part = pattern.substr(0, slash);
    if (part.starts_with('{')) {
      if (segment.empty()) return false;
      ids.push_back(segment);
    } else if (part != segment) {
      return false;
    }
    pattern.remove_prefix(slash);
  }
  return true;
}

/// A slash at the end means nothing.
std::span<const std::string> trimmed(std::span<const std::string> segments) {
  return segments.size() > 1 && segments.back().empty() ? segments.first(segments.size() - 1) : segments;
}

bool answers(const Route& route, Method method) {
  return route.method == method || (method == Method::head && route.method == Method::get);
}

/// The first route of an address, null if it has none. All others have the same pattern and stand behind it. Patterns
/// with a word stand in the table before those that have a place for an id there.
const Route* first_at(std::span<const std::string> segments, std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (segment_counts[i] == segments.size() && fits(table[i].pattern, segments, ids)) return &table[i];
  return nullptr;
}

/// The routes from one on.
std::span<const Route> from(const Route& first) { return {&first, table.data() + table.size()}; }

}  // namespace

std::span<const Route> routes() { return table; }

std::optional<Match> match(Method method, const std::vector<std::string>& segments) {
  std::vector<std::string> ids;
  const Route* const first = first_at(trimmed(segments), ids);
  if (first == nullptr) return std::nullopt;
  for (const Route& route : from(*first))
    if (answers(route, method) && route.pattern == first->pattern) return Match{.route = &route, .ids = std::move(ids)};
  return Match{};
}

std::string allowed_methods(const std::vector<std::string>& segments) {
  std::vector<std::string> ids;
  std::string methods;
  const Route* const first = first_at(trimmed(segments), ids);
  if (first == nullptr) return methods;
  for (const Route& route : from(*first)) {
    if (route.pattern != first->pattern) continue;
    if (!methods.empty()) methods += ", ";
    methods += word_of(route.method);
    if (route.method == Method::get) methods += ", HEAD";
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
