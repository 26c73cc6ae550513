#include "stores/sqlite/sqlite_store.hpp"
#include "stores/sqlite/store_calls.hpp"

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

}  // namespace

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
