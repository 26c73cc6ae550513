#include "engine/lane.hpp"
#include "stores/sqlite/claiming.hpp"
#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

#include <algorithm>

namespace carillon {
namespace {

using sqlite::Lane;
using sqlite::Tables;

/// Nobody may see it end: it is over when the next owner of the file ends all sessions.
constexpr Duration sparing_lease = std::chrono::years{10};

bool is_that_attempt(const QueuedRun& row, const AttemptKey& key) {
  return row.run.state == RunState::running && row.run.attempt == key.attempt;
}

Result<bool> move_run(Tables& tables, const AttemptKey& key, SessionId session) {
  auto run = TRY(tables.runs.find_briefly(key.run));
  if (!run || !is_that_attempt(run->row, key)) return false;
  if (run->row.run.stop != Stop::none) {
    TRY(tables.sessions.forget_stop(run->row.session, key.run));
    TRY(tables.sessions.ask_to_stop(session, key.run));
  }
  run->row.session = session;
  TRY(tables.runs.save_run(*run));
  return true;
}

/// Runs of these queues whose session has ended.
Result<std::vector<AttemptKey>> orphans(Tables& tables, const ClaimRequest& request) {
  std::vector<AttemptKey> keys;
  for (const SessionId session : TRY(tables.sessions.lost())) {
    for (const sqlite::StoredRun& run : TRY(tables.runs.held_by(session, std::size_t(-1)))) {
      if (keys.size() == request.count_max) return keys;
      if (std::ranges::find(request.queues, queue_of_lane(run.row.queue)) != request.queues.end())
        keys.push_back({.run = run.row.seq, .attempt = run.row.run.attempt});
    }
  }
  return keys;
}

}  // namespace

Result<std::vector<ClaimedRun>> SqliteStore::adopt(const ClaimRequest& request) {
  using Runs = std::vector<ClaimedRun>;
  return write_in<Runs>(Lane::worker, [&](Tables& tables, Instant now) -> Result<Runs> {
    const auto session = TRY(tables.sessions.find(request.session, now));
    if (!session) return fail(ErrorCode::not_found, "session {} is over", static_cast<std::int64_t>(request.session));
    Runs adopted;
    for (const AttemptKey& key : TRY(orphans(tables, request))) {
      if (!TRY(move_run(tables, key, request.session))) continue;
      auto run = TRY(tables.runs.find(key.run));
      if (run) adopted.push_back(TRY(claimed_run(tables, std::move(run->row), run->attempt_line, *session, now)));
    }
    return adopted;
  });
}

Result<std::optional<SessionId>> SqliteStore::end_all_sessions_but(std::span<const AttemptKey> spared,
                                                                   const std::string& worker) {
  using Answer = std::optional<SessionId>;
  return write_in<Answer>(Lane::housekeeping, [&](Tables& tables, Instant now) -> Result<Answer> {
    TRY(tables.sessions.end_own(now));
    Answer session;
    for (const AttemptKey& key : spared) {
      const SessionId home = session ? *session : tables.counters.next_session();
      if (!TRY(move_run(tables, key, home))) continue;
      if (!session) TRY(tables.sessions.open(home, worker, sparing_lease, now));
      session = home;
    }
    return session;
  });
}

}  // namespace carillon
