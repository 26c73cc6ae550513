#include "stores/sqlite/image_statements.hpp"

#include <array>

namespace carillon::sqlite {
namespace {

// A query yields the columns of an image; the parameters of what writes are these columns. What the embedded store
// keeps twice for speed (wake times, queues, chains, lists) is made here from them.
constexpr std::array<const char*, 2> schedule_inserts{
    "INSERT INTO schedule(uid, namespace, id, incarnation, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
    "INSERT INTO listing SELECT ?2, ?3, ?1, 0, ?7, ?8, ?9, ?10 WHERE ?6 = 0"};
constexpr std::array<const char*, 1> definition_inserts{
    "INSERT INTO definition(place, uid, revision, document) VALUES (?1 << 27 | ?2, ?1, ?2, ?3)"};
constexpr std::array<const char*, 1> request_inserts{
    "INSERT INTO request(id, at, uid, revision, decision) VALUES (?1, ?2, ?3, ?4, ?5)"};
constexpr std::array<const char*, 3> state_inserts{
    "INSERT INTO state(place, uid, version, revision, wake_at, server, batch, last_seq, run_seq, more, "
    "backfills, flags, body) SELECT CASE WHEN ?4 IS NULL THEN 65535 ELSE ?4 % 86400000000 / 2000000 END "
    "<< 36 | ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce(json_extract('[' || ?8 || ']', '$[0]'), 0), "
    "max(json_array_length('[' || ?8 || ']') - 1, 0), ?9, ?10 & ~16, ?11",
    "INSERT INTO live SELECT ?1, value FROM json_each('[' || ?8 || ']') WHERE key > 0",
    "INSERT INTO wake SELECT ?4, ?1, place, ?10 & 4 <> 0 FROM state WHERE uid = ?1 AND ?4 IS NOT NULL "
    "AND ?10 & 2 = 0"};
constexpr std::array<const char*, 1> quarantine_inserts{"INSERT INTO quarantine(uid, error) VALUES (?1, ?2)"};
constexpr std::array<const char*, 1> queue_inserts{
    "INSERT INTO queue(name, is_paused, run_limit, keeps_failed) VALUES (?1, ?2, ?3, ?4)"};
constexpr std::array<const char*, 6> ledger_inserts{
    "INSERT OR IGNORE INTO queue(name) SELECT ?32 WHERE ?32 <> ''",
    "INSERT INTO ledger(prev_seq, seq, uid, at, server, revision, version, nominal, due, waited_from, "
    "backfill, run_revision, last_success, repeats, attempt_seq, session, queued_at, claimable_from, "
    "expires_at, started_at, ended_at, flags, attempt, priority, source, outcome, reason, overlap, "
    "state, attempt_state, stop, last_failure, queue) SELECT 0, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
    "?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?22 & ~8 | CASE WHEN (?33 <> '' OR ?34 IS NOT NULL OR ?35 "
    "IS NOT NULL OR ?36 IS NOT NULL) THEN 8 ELSE 0 END, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?37, "
    "coalesce((SELECT id FROM queue WHERE name = ?32), 0)",
    "INSERT INTO extra(seq, trigger, payload, rules, namespace) SELECT ?1, ?33, ?34, ?35, ?36 WHERE (?33 "
    "<> '' OR ?34 IS NOT NULL OR ?35 IS NOT NULL OR ?36 IS NOT NULL)",
    "INSERT INTO job SELECT ?33, ?1 WHERE ?2 = 0",
    "INSERT INTO later SELECT id, ?17, ?1, ?21, CASE WHEN ?29 = 1 THEN ?18 END FROM queue WHERE name = "
    "?32 AND ?29 IN (1, 3)",
    "INSERT INTO stop SELECT ?15, ?1 WHERE ?29 = 2 AND ?31 <> 0"};
constexpr std::array<const char*, 1> result_inserts{"INSERT INTO result(seq, value) VALUES (?1, ?2)"};
constexpr std::array<const char*, 1> attempt_inserts{
    "INSERT INTO attempt(seq, uid, run_seq, attempt, session, at, state, claimable_from, claimed_at, "
    "launched_at, ended_at, exit_code, signal, reason, user_time, system_time, memory_max, known_as) VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"};
constexpr std::array<const char*, 1> change_inserts{
    "INSERT INTO change(seq, uid, at, revision, kind, by, reason, until, has_document) VALUES (?1, ?2, "
    "?3, ?4, ?5, ?6, ?7, ?8, ?9)"};
constexpr std::array<const char*, 1> skipped_range_inserts{
    "INSERT INTO skipped_range(seq, uid, at, revision, first, last, count, reason) VALUES (?1, ?2, ?3, "
    "?4, ?5, ?6, ?7, ?8)"};
constexpr std::array<const char*, 1> voided_range_inserts{
    "INSERT INTO voided_range(seq, uid, at, first, last) VALUES (?1, ?2, ?3, ?4, ?5)"};
constexpr std::array<const char*, 1> backfill_inserts{
    "INSERT INTO backfill(seq, uid, number, at, id, first, last, direction, reprocess, concurrency, "
    "is_exclusive, state, cursor, done, total, started, overlap) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
    "?11, ?12, ?13, ?14, ?15, ?16, ?17)"};
constexpr std::array<const char*, 1> outage_inserts{
    "INSERT INTO outage(seq, at, first, last, cause) VALUES (?1, ?2, ?3, ?4, ?5)"};
constexpr std::array<const char*, 1> forgotten_inserts{"INSERT INTO forgotten(uid, seq) VALUES (?1, ?2)"};
constexpr std::array<const char*, 1> session_inserts{
    "INSERT INTO session(id, worker, lease, lease_until, phase) VALUES (?1, ?2, ?3, ?4, ?5)"};
constexpr std::array<const char*, 1> audit_inserts{
    "INSERT INTO audit(number, at, actor, address, operation, namespace, target, outcome, "
    "document_before, document_after, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"};
constexpr std::array<const char*, 1> token_inserts{
    "INSERT INTO token(id, name, role, namespace, salt, hash, created_at, expires_at, revoked_at, "
    "may_execute) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"};
constexpr std::array<const char*, 1> idempotency_inserts{
    "INSERT INTO idempotency(key, fingerprint, at, uid, decisions, answer) VALUES (?1, ?2, ?3, ?4, ?5, "
    "?6)"};
constexpr std::array<const char*, 4> finishing{
    "UPDATE ledger SET prev_seq = p.before FROM (SELECT seq AS s, lag(seq, 1, 0) OVER (PARTITION BY uid "
    "ORDER BY seq) AS before FROM ledger WHERE uid <> 0) p WHERE ledger.seq = p.s",
    "UPDATE attempt SET prev_seq = p.before FROM (SELECT seq AS s, lag(seq) OVER (PARTITION BY run_seq "
    "ORDER BY attempt) AS before FROM attempt) p WHERE attempt.seq = p.s",
    "UPDATE listing SET status = (SELECT (s.flags >> 5) & 7 FROM state s WHERE s.uid = listing.uid)",
    "INSERT INTO namespace SELECT namespace, count(*) FROM listing GROUP BY namespace"};

constexpr std::array statements{
    ImageStatements{
        .table = "schedule",
        .query = "SELECT n.uid, n.namespace, n.id, n.incarnation, coalesce(n.created_at, (SELECT min(at) FROM change "
                 "c WHERE c.uid = n.uid), 0), coalesce(s.flags & 2, 2) <> 0, coalesce(l.name, ''), coalesce(l.action, "
                 "''), coalesce(l.labels, '{}'), coalesce(l.workflow, '') FROM schedule n LEFT JOIN state s ON s.uid "
                 "= n.uid LEFT JOIN listing l ON l.namespace = n.namespace AND l.id = n.id AND l.uid = n.uid ORDER BY "
                 "n.uid",
        .inserts = schedule_inserts},
    ImageStatements{.table = "definition",
                    .query = "SELECT uid, revision, document FROM definition",
                    .inserts = definition_inserts},
    ImageStatements{
        .table = "request", .query = "SELECT id, at, uid, revision, decision FROM request", .inserts = request_inserts},
    ImageStatements{
        .table = "state",
        .query = "SELECT uid, version, revision, wake_at, server, batch, last_seq, (SELECT coalesce(group_concat(q), "
                 "'') FROM (SELECT s.run_seq AS q WHERE s.run_seq <> 0 UNION SELECT l.seq FROM live l WHERE l.uid = "
                 "s.uid ORDER BY 1)), backfills, flags & ~16, body FROM state s ORDER BY uid",
        .inserts = state_inserts},
    ImageStatements{.table = "quarantine", .query = "SELECT uid, error FROM quarantine", .inserts = quarantine_inserts},
    ImageStatements{.table = "queue",
                    .query = "SELECT name, is_paused, run_limit, keeps_failed FROM queue WHERE instr(name, '|') = 0",
                    .inserts = queue_inserts},
    ImageStatements{.table = "ledger",
                    .query =
                        "SELECT g.seq, g.uid, g.at, g.server, g.revision, g.version, g.nominal, g.due, g.waited_from, "
                        "g.backfill, g.run_revision, g.last_success, g.repeats, g.attempt_seq, g.session, g.queued_at, "
                        "g.claimable_from, g.expires_at, g.started_at, g.ended_at, CASE WHEN g.state IN (1, 3) THEN "
                        "g.claimable_from - g.priority * 60000000 END, g.flags & ~8, g.attempt, g.priority, g.source, "
                        "g.outcome, g.reason, g.overlap, g.state, g.attempt_state, g.stop, coalesce(q.name, ''), "
                        "coalesce(e.trigger, ''), e.payload, e.rules, e.namespace, g.last_failure FROM ledger g LEFT "
                        "JOIN queue q ON q.id = "
                        "g.queue LEFT JOIN extra e ON e.seq = g.seq ORDER BY g.seq",
                    .inserts = ledger_inserts},
    ImageStatements{.table = "result", .query = "SELECT seq, value FROM result", .inserts = result_inserts},
    ImageStatements{
        .table = "attempt",
        .query = "SELECT seq, uid, run_seq, attempt, session, at, state, claimable_from, claimed_at, launched_at, "
                 "ended_at, exit_code, signal, reason, user_time, system_time, memory_max, known_as FROM attempt",
        .inserts = attempt_inserts},
    ImageStatements{.table = "change",
                    .query = "SELECT seq, uid, at, revision, kind, by, reason, until, has_document FROM change",
                    .inserts = change_inserts},
    ImageStatements{.table = "skipped_range",
                    .query = "SELECT seq, uid, at, revision, first, last, count, reason FROM skipped_range",
                    .inserts = skipped_range_inserts},
    ImageStatements{.table = "voided_range",
                    .query = "SELECT seq, uid, at, first, last FROM voided_range",
                    .inserts = voided_range_inserts},
    ImageStatements{
        .table = "backfill",
        .query = "SELECT seq, uid, number, at, id, first, last, direction, reprocess, concurrency, is_exclusive, "
                 "state, cursor, done, total, started, overlap FROM backfill",
        .inserts = backfill_inserts},
    ImageStatements{
        .table = "outage", .query = "SELECT seq, at, first, last, cause FROM outage", .inserts = outage_inserts},
    ImageStatements{.table = "forgotten", .query = "SELECT uid, seq FROM forgotten", .inserts = forgotten_inserts},
    ImageStatements{.table = "session",
                    .query = "SELECT id, worker, lease, lease_until, phase FROM session",
                    .inserts = session_inserts},
    ImageStatements{.table = "audit",
                    .query =
                        "SELECT number, at, actor, address, operation, namespace, target, outcome, document_before, "
                        "document_after, digest FROM audit",
                    .inserts = audit_inserts},
    ImageStatements{
        .table = "token",
        .query = "SELECT id, name, role, namespace, salt, hash, created_at, expires_at, revoked_at, may_execute FROM "
                 "token",
        .inserts = token_inserts},
    ImageStatements{.table = "idempotency",
                    .query = "SELECT key, fingerprint, at, uid, decisions, answer FROM idempotency",
                    .inserts = idempotency_inserts},
};

}  // namespace

const ImageStatements* find_image_statements(std::string_view table) {
  for (const ImageStatements& entry : statements)
    if (entry.table == table) return &entry;
  return nullptr;
}

std::span<const char* const> image_finishing() { return finishing; }

}  // namespace carillon::sqlite
