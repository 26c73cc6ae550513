#include "stores/sqlite/session_rows.hpp"

namespace carillon::sqlite {
namespace {

enum class Phase { live, over, settled };

}  // namespace

SessionRows::SessionRows(Connection& connection)
    : has_ended_{connection, "SELECT 1 FROM session WHERE phase = 0 AND lease_until <= ?1 LIMIT 1"},
      advance_{connection, "UPDATE session SET phase = 1 WHERE phase = 0 AND lease_until <= ?1"},
      // What a server performs itself waits in queues of its own (`@command`), which no other worker can claim from.
      end_own_{connection,
               "UPDATE session SET phase = 1 WHERE phase = 0 AND id IN (SELECT g.session FROM ledger g "
               "JOIN queue q ON q.id = g.queue WHERE g.state = 2 AND substr(q.name, 1, 1) = '@')"},
      open_{connection, "INSERT INTO session VALUES (?1, ?2, ?3, ?4, 0)"},
      find_{connection, "SELECT lease, lease_until FROM session WHERE id = ?1 AND phase = 0 AND lease_until > ?2"},
      renew_{connection, "UPDATE session SET lease_until = ?2 WHERE id = ?1"},
      set_phase_{connection, "UPDATE session SET phase = ?2 WHERE id = ?1 AND phase < ?2"},
      lost_{connection, "SELECT id FROM session WHERE phase = 1 ORDER BY id"},
      add_stop_{connection, "INSERT OR IGNORE INTO stop VALUES (?1, ?2)"},
      drop_stop_{connection, "DELETE FROM stop WHERE session = ?1 AND seq = ?2"},
      stops_{connection,
             "SELECT g.seq, g.attempt, g.stop FROM stop s CROSS JOIN ledger g ON g.seq = s.seq "
             "WHERE s.session = ?1 ORDER BY s.seq"} {
  static_assert(static_cast<int>(Phase::live) == 0 && static_cast<int>(Phase::over) == 1);
}

// Asked in every transaction, and nearly always for nothing: a look costs a tenth of an update that finds no row.
Result<> SessionRows::advance(Instant now) {
  {
    Cursor ended = has_ended_.query(now);
    if (!TRY(ended.next())) return {};
  }
  return advance_.run(now);
}

Result<> SessionRows::end_own(Instant now) {
  TRY(advance(now));
  return end_own_.run();
}

Result<> SessionRows::open(SessionId id, const std::string& worker, Duration lease, Instant now) {
  return open_.run(id, worker, lease, now + lease);
}

Result<std::optional<StoredSession>> SessionRows::find(SessionId id, Instant now) {
  Cursor row = find_.query(id, now);
  if (!TRY(row.next())) return std::nullopt;
  return StoredSession{.id = id, .lease = row.duration(0), .lease_until = row.instant(1)};
}

Result<> SessionRows::renew(StoredSession& session, Instant now) {
  session.lease_until = now + session.lease;
  return renew_.run(session.id, session.lease_until);
}

Result<> SessionRows::close(SessionId id) { return set_phase_.run(id, Phase::over); }

Result<std::vector<SessionId>> SessionRows::lost() {
  std::vector<SessionId> ids;
  Cursor row = lost_.query();
  while (TRY(row.next())) ids.push_back(row.as<SessionId>(0));
  return ids;
}

Result<> SessionRows::settle(SessionId id) { return set_phase_.run(id, Phase::settled); }

Result<> SessionRows::ask_to_stop(SessionId session, Seq run) { return add_stop_.run(session, run); }

Result<> SessionRows::forget_stop(SessionId session, Seq run) { return drop_stop_.run(session, run); }

Result<std::vector<StopRequest>> SessionRows::stops(SessionId session) {
  std::vector<StopRequest> stops;
  Cursor row = stops_.query(session);
  while (TRY(row.next()))
    stops.push_back({.seq = row.as<Seq>(0), .attempt = row.count(1), .how = row.one_of(2, Stop::terminate)});
  return stops;
}

}  // namespace carillon::sqlite
