#pragma once

#include "api/http/message.hpp"
#include "api/rest/call.hpp"
#include "api/rest/reply.hpp"
#include "service/operation.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// How a route is answered.
enum class ExecutionMode {
  quick,     // asks nobody: answered where it came in, on a thread that must not wait
  cached,    // answered there too if the answer is known, else as `slow`
  slow,      // reads or writes the store: answered by a thread that may wait
  question,  // works something out about time: answered by one of few threads, so that nobody else waits for it
  events,    // a stream of events, begun by a thread that may wait
  follow,    // a log that is followed, if asked for
  claim,     // waits for work, if asked for
};

using Handle = Served<Reply> (*)(Call&);

/// What the body of a request is.
enum class BodyKind {
  none,   // anything but `{}` is refused
  json,   // a document
  bytes,  // of any kind
};

/// Where an operation is asked for, and how it is answered. Who may do it, and what it does beside answering, says the
/// table of operations.
struct Route {
  http::Method method;
  std::string_view pattern;  // `/api/v1/schedules/{id}`
  OperationId operation;
  ExecutionMode mode;
  Handle handle;  // null where the mode says it all
  BodyKind body = BodyKind::none;
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> ids;
};

/// The route of a request. None: nothing has this address; a match without a route: not with this method. Words of the
/// table go before ids: `/schedules/batch` is never a schedule.
[[nodiscard]] std::optional<Match> match(http::Method method, const std::vector<std::string>& segments);

/// The methods an address has, for `Allow`.
[[nodiscard]] std::string allowed_methods(const std::vector<std::string>& segments);

[[nodiscard]] std::string_view word_of(http::Method method);

// The routes by what they are about.
Served<Reply> list_schedules(Call& call);
Served<Reply> create_schedule(Call& call);
Served<Reply> get_schedule(Call& call);
/// The same from memory alone; none if it is not there.
std::optional<Reply> get_cached_schedule(Call& call);
Served<Reply> put_schedule(Call& call);
Served<Reply> patch_schedule(Call& call);
Served<Reply> delete_schedule(Call& call);
Served<Reply> batch_delete_schedules(Call& call);
Served<Reply> batch_schedules(Call& call);
Served<Reply> preview_schedule(Call& call);
Served<Reply> pause_schedule(Call& call);
Served<Reply> resume_schedule(Call& call);
Served<Reply> enable_schedule(Call& call);
Served<Reply> disable_schedule(Call& call);
Served<Reply> reset_schedule(Call& call);
Served<Reply> trigger_schedule(Call& call);
Served<Reply> cancel_schedule(Call& call);
Served<Reply> next_runs(Call& call);
Served<Reply> list_occurrences(Call& call);
Served<Reply> explain_occurrence(Call& call);
Served<Reply> list_revisions(Call& call);
Served<Reply> get_revision(Call& call);

Served<Reply> preview_backfill(Call& call);
Served<Reply> create_backfill(Call& call);
Served<Reply> list_all_backfills(Call& call);
Served<Reply> list_backfills(Call& call);
Served<Reply> get_backfill(Call& call);
Served<Reply> pause_backfill(Call& call);
Served<Reply> resume_backfill(Call& call);
Served<Reply> cancel_backfill(Call& call);

Served<Reply> list_schedule_runs(Call& call);
Served<Reply> list_runs(Call& call);
Served<Reply> list_run_items(Call& call);
Served<Reply> list_pipelines(Call& call);
Served<Reply> validate_pipeline(Call& call);
Served<Reply> get_run(Call& call);
Served<Reply> cancel_run(Call& call);
Served<Reply> retry_run(Call& call);
Served<Reply> get_run_log(Call& call);
Served<Reply> create_job(Call& call);
Served<Reply> get_job(Call& call);

Served<Reply> list_workers(Call& call);
Served<Reply> open_worker(Call& call);
Served<Reply> beat_worker(Call& call);
Served<Reply> complete_job(Call& call);
Served<Reply> fail_job(Call& call);
Served<Reply> append_job_log(Call& call);
Served<Reply> close_worker(Call& call);

Served<Reply> list_upcoming(Call& call);
Served<Reply> get_load(Call& call);
Served<Reply> propose_spread(Call& call);
Served<Reply> get_timeline(Call& call);
Served<Reply> get_calendar(Call& call);
Served<Reply> get_outcomes(Call& call);
Served<Reply> list_queues(Call& call);
Served<Reply> pause_queue(Call& call);
Served<Reply> resume_queue(Call& call);
Served<Reply> patch_queue(Call& call);
Served<Reply> list_dead_letters(Call& call);
Served<Reply> retry_dead_letter(Call& call);
Served<Reply> discard_dead_letter(Call& call);
Served<Reply> acquire_lock(Call& call);
Served<Reply> extend_lock(Call& call);
Served<Reply> release_lock(Call& call);
Served<Reply> get_lock(Call& call);
Served<Reply> list_tokens(Call& call);
Served<Reply> create_token(Call& call);
Served<Reply> revoke_token(Call& call);
Served<Reply> create_session(Call& call);
Served<Reply> get_session(Call& call);
Served<Reply> close_session(Call& call);
Served<Reply> create_session_link(Call& call);
Served<Reply> list_audit(Call& call);
Served<Reply> verify_audit(Call& call);
Served<Reply> get_system(Call& call);

Served<Reply> get_index(Call& call);
Served<Reply> get_livez(Call& call);
Served<Reply> get_readyz(Call& call);
Served<Reply> get_version(Call& call);
Served<Reply> get_metrics(Call& call);
Served<Reply> get_openapi(Call& call);

/// What a request for a log asks for.
[[nodiscard]] LogQuery log_query_in(Call& call);

/// What a worker asks for, and how it is answered.
[[nodiscard]] Served<JobClaim> job_claim_in(Call& call);
[[nodiscard]] Reply claimed_jobs_reply(const std::vector<ClaimedJob>& jobs);

}  // namespace carillon::rest
