#pragma once

namespace carillon::store_rows::sqlite {

inline constexpr const char* schema = R"sql(
CREATE TABLE definition(uid INTEGER, revision INTEGER, document TEXT, PRIMARY KEY(uid, revision)) WITHOUT ROWID;
CREATE TABLE state(uid INTEGER PRIMARY KEY, version INTEGER NOT NULL, revision INTEGER NOT NULL, wake_at INTEGER,
  writer INTEGER, status INTEGER, cursor INTEGER, last_seq INTEGER, run_seq INTEGER, more INTEGER, body BLOB);
CREATE TABLE wake(at INTEGER, uid INTEGER, PRIMARY KEY(at, uid)) WITHOUT ROWID;
CREATE TABLE ledger(seq INTEGER PRIMARY KEY, uid INTEGER NOT NULL, nominal INTEGER, due INTEGER, source INTEGER,
  outcome INTEGER, reason INTEGER, revision INTEGER, state INTEGER, attempt INTEGER, attempt_state INTEGER,
  session INTEGER, stop INTEGER, listened INTEGER, queue INTEGER, rank INTEGER, claimable_from INTEGER,
  expires_at INTEGER, queued_at INTEGER, started_at INTEGER, ended_at INTEGER, exit INTEGER, prev_seq INTEGER);
CREATE TABLE live(uid INTEGER, seq INTEGER, state INTEGER, attempt INTEGER, session INTEGER, stop INTEGER,
  listened INTEGER, PRIMARY KEY(uid, seq)) WITHOUT ROWID;  -- of the layout we chose: uid and seq only
CREATE TABLE ready(queue INTEGER, rank INTEGER, seq INTEGER, uid INTEGER, claimable_from INTEGER,
  PRIMARY KEY(queue, rank, seq)) WITHOUT ROWID;
CREATE TABLE worker(session INTEGER PRIMARY KEY, lease_until INTEGER NOT NULL);
CREATE TABLE stop(session INTEGER, seq INTEGER, uid INTEGER, attempt INTEGER, PRIMARY KEY(session, seq)) WITHOUT ROWID;
)sql";

// Where the ledger row is all there is of a run: the way to the runs of a worker session.
inline constexpr const char* running_index = "CREATE INDEX ledger_running ON ledger(session, seq) WHERE state = 3";

// read_due(now, count_max)
inline constexpr const char* read_due = R"sql(
SELECT s.uid, s.version, s.revision, s.wake_at, s.cursor, s.more, s.body, g.seq, g.state, g.attempt
FROM (SELECT at, uid FROM wake WHERE at <= ?1 ORDER BY at LIMIT ?2) w
CROSS JOIN state s ON s.uid = w.uid LEFT JOIN ledger g ON g.seq = s.run_seq)sql";
// The runs beside the one that the state names, for the schedules where `more` is not 0.
inline constexpr const char* more_runs = R"sql(
SELECT g.seq, g.state, g.attempt FROM live l CROSS JOIN ledger g ON g.seq = l.seq WHERE l.uid = ?1 ORDER BY l.seq)sql";

// commit, for each transition in one transaction
inline constexpr const char* fence = R"sql(
SELECT wake_at, last_seq, run_seq, more FROM state WHERE uid = ?1 AND version = ?2)sql";
inline constexpr const char* listen = "UPDATE ledger SET listened = 1 WHERE seq = ?2 AND uid = ?1 AND state < 4";
inline constexpr const char* write_state = R"sql(
UPDATE state SET version = version + 1, revision = ?2, wake_at = ?3, writer = ?4, cursor = ?5, last_seq = ?6,
  run_seq = ?7, more = ?8, body = ?9
WHERE uid = ?1)sql";
inline constexpr const char* wake_remove = "DELETE FROM wake WHERE at = ?1 AND uid = ?2";
inline constexpr const char* wake_add = "INSERT INTO wake VALUES (?1, ?2)";
inline constexpr const char* ledger_add = R"sql(
INSERT INTO ledger(seq, uid, nominal, due, source, outcome, reason, revision, state, attempt, attempt_state, session,
  stop, listened, queue, rank, claimable_from, queued_at, started_at, prev_seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16, ?16, ?17, ?18))sql";
inline constexpr const char* more_add = "INSERT INTO live(uid, seq) VALUES (?1, ?2)";
inline constexpr const char* ready_first = R"sql(
SELECT 1 FROM ready WHERE queue = ?1 AND rank <= ?2 AND claimable_from <= ?3 LIMIT 1)sql";
inline constexpr const char* ready_add = "INSERT INTO ready VALUES (?1, ?2, ?3, ?4, ?5)";
inline constexpr const char* live_remove = "DELETE FROM live WHERE uid = ?1 AND seq = ?2";
inline constexpr const char* run_read = R"sql(
SELECT state, attempt, session, queue, rank FROM ledger WHERE seq = ?1 AND uid = ?2)sql";
inline constexpr const char* ledger_set = R"sql(
UPDATE ledger SET state = ?2, claimable_from = coalesce(?3, claimable_from), ended_at = ?4 WHERE seq = ?1)sql";
inline constexpr const char* ledger_stop = "UPDATE ledger SET stop = 1 WHERE seq = ?1";
inline constexpr const char* stop_add = "INSERT OR IGNORE INTO stop VALUES (?1, ?2, ?3, ?4)";

// claim
inline constexpr const char* ready_read = R"sql(
SELECT rank, seq, uid FROM ready WHERE queue = ?1 AND claimable_from <= ?2 ORDER BY rank, seq LIMIT ?3)sql";
inline constexpr const char* ready_remove = "DELETE FROM ready WHERE queue = ?1 AND rank = ?2 AND seq = ?3";
inline constexpr const char* ledger_claim = R"sql(
UPDATE ledger SET state = 3, attempt = attempt + 1, attempt_state = 0, session = ?2, stop = 0,
  started_at = ?3 WHERE seq = ?1)sql";

// finish, for each item in one transaction
inline constexpr const char* finish_fence = R"sql(
SELECT listened, queue FROM ledger
WHERE seq = ?2 AND uid = ?1 AND state = 3 AND attempt = ?3 AND session = ?4 AND stop = ?5)sql";
inline constexpr const char* ledger_finish = R"sql(
UPDATE ledger SET state = ?2, attempt_state = 2, ended_at = ?3, exit = ?4, claimable_from = ?5, rank = ?6
WHERE seq = ?1)sql";
inline constexpr const char* stop_remove = "DELETE FROM stop WHERE session = ?1 AND seq = ?2";
inline constexpr const char* wake_of = "SELECT wake_at FROM state WHERE uid = ?1";
inline constexpr const char* state_wake = "UPDATE state SET wake_at = ?2 WHERE uid = ?1";

// heartbeat and lost sessions
inline constexpr const char* renew = "UPDATE worker SET lease_until = ?2 WHERE session = ?1 AND lease_until >= ?3";
inline constexpr const char* launched = R"sql(
UPDATE ledger SET attempt_state = 1, started_at = ?4
WHERE seq = ?1 AND attempt = ?2 AND session = ?3 AND state = 3 AND attempt_state = 0)sql";
inline constexpr const char* stops = "SELECT uid, seq, attempt FROM stop WHERE session = ?1";
inline constexpr const char* has_lease = "SELECT 1 FROM worker WHERE session = ?1 AND lease_until >= ?2";
inline constexpr const char* lost_sessions = "SELECT session FROM worker WHERE lease_until < ?1";
inline constexpr const char* runs_of_session = R"sql(
SELECT uid, seq, attempt, stop FROM ledger WHERE session = ?1 AND state = 3 ORDER BY seq)sql";

// What was compared and left: a row in `live` for every run, with what changes in it beside the ledger.
namespace live_rows {
inline constexpr const char* read_due = R"sql(
SELECT s.uid, s.version, s.revision, s.wake_at, s.cursor, s.more, s.body, l.seq, l.state, l.attempt
FROM (SELECT at, uid FROM wake WHERE at <= ?1 ORDER BY at LIMIT ?2) w
CROSS JOIN state s ON s.uid = w.uid LEFT JOIN live l ON l.uid = w.uid)sql";
inline constexpr const char* add = "INSERT INTO live VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)";
inline constexpr const char* set = "UPDATE live SET state = ?3 WHERE uid = ?1 AND seq = ?2";
inline constexpr const char* claim = R"sql(
UPDATE live SET state = 3, attempt = attempt + 1, session = ?3, stop = 0 WHERE uid = ?1 AND seq = ?2)sql";
inline constexpr const char* finish_fence = R"sql(
SELECT listened, 0 FROM live WHERE uid = ?1 AND seq = ?2 AND state = 3 AND attempt = ?3 AND session = ?4 AND stop = ?5)sql";
}  // namespace live_rows

}  // namespace carillon::store_rows::sqlite
