#pragma once

#include "api/http/message.hpp"
#include "api/http/responder.hpp"
#include "api/rest/call.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace carillon::rest {

/// What a route does beside answering; the two kinds that take their time have handlers of their own.
enum class ExecutionMode {
  quick,     // asks nobody: answered where it came in, on a thread that must not wait
  cached,    // answered there too if the answer is known, else as `slow`
  slow,      // reads or writes the store: answered by a thread that may wait
  question,  // works something out about time: answered by one of few threads, so that nobody else waits for it
  events,    // a stream of events
  follow,    // a log that is followed, if asked for
  claim,     // waits for work, if asked for
};

using Handle = Served<Reply> (*)(Call&);

/// What else is special about a route.
struct RouteTraits {
  bool takes_body = false;   // of JSON; where there is none, anything but `{}` is refused
  bool takes_bytes = false;  // the body is of any kind
  bool has_dry_run = false;  // it can be asked what it would do
  bool has_secret = false;   // its answer is not kept to be repeated
  bool starts_run = false;   // counted against the starts of its caller
};

/// One thing that can be asked of this server. There is no other table: who may do what, what is documented and what is
/// tested follow from it.
struct Route {
  http::Method method;
  std::string_view pattern;  // `/api/v1/schedules/{id}`
  Scope scope;
  ExecutionMode mode;
  std::string_view operation;  // its name in the description of the API
  Handle handle;
  RouteTraits traits{};
};

[[nodiscard]] std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> ids;
};

/// The route of a request. None: nothing has this address; a match without a route: not with this method. Words of the
/// table go before ids: `/schedules/batch` is never a schedule.
[[nodiscard]] std::optional<Match> match(http::Method method, const std::vector<std::string>& segments);

/// The route of an operation that is in the table.
[[nodiscard]] const Route& route_of(std::string_view operation);

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

Served<Reply> preview_backfill(Call& call);
Served<Reply> create_backfill(Call& call);
Served<Reply> list_backfills(Call& call);
Served<Reply> get_backfill(Call& call);
Served<Reply> pause_backfill(Call& call);
Served<Reply> resume_backfill(Call& call);
Served<Reply> cancel_backfill(Call& call);

Served<Reply> list_schedule_runs(Call& call);
Served<Reply> list_runs(Call& call);
Served<Reply> get_run(Call& call);
Served<Reply> cancel_run(Call& call);
Served<Reply> retry_run(Call& call);
Served<Reply> get_run_log(Call& call);
Served<Reply> create_job(Call& call);
Served<Reply> get_job(Call& call);

Served<Reply> open_worker(Call& call);
Served<Reply> claim_jobs(Call& call);
Served<Reply> beat_worker(Call& call);
Served<Reply> complete_job(Call& call);
Served<Reply> fail_job(Call& call);
Served<Reply> append_job_log(Call& call);
Served<Reply> close_worker(Call& call);

Served<Reply> list_upcoming(Call& call);
Served<Reply> get_load(Call& call);
Served<Reply> list_queues(Call& call);
Served<Reply> pause_queue(Call& call);
Served<Reply> resume_queue(Call& call);
Served<Reply> list_tokens(Call& call);
Served<Reply> create_token(Call& call);
Served<Reply> revoke_token(Call& call);
Served<Reply> list_audit(Call& call);
Served<Reply> verify_audit(Call& call);
Served<Reply> get_system(Call& call);

Served<Reply> get_livez(Call& call);
Served<Reply> get_readyz(Call& call);
Served<Reply> get_version(Call& call);
Served<Reply> get_metrics(Call& call);
Served<Reply> get_openapi(Call& call);

/// What a request for a log asks for.
[[nodiscard]] LogQuery log_query_in(Call& call);

}  // namespace carillon::rest
