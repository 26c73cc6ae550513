#pragma once

namespace carillon::store_rows::postgres {

inline constexpr const char* schema = R"sql(
CREATE FUNCTION store_now() RETURNS int8 LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::int8 $$;
CREATE SEQUENCE ledger_block INCREMENT 10000;
CREATE TABLE definition(uid int8, revision int4, document text, PRIMARY KEY(uid, revision));
CREATE TABLE state(uid int8 PRIMARY KEY, version int8 NOT NULL, revision int4 NOT NULL, wake_at int8, writer int8,
  status int2, cursor int8, last_seq int8, run_seq int8, more int4 NOT NULL DEFAULT 0, body bytea)
  WITH (fillfactor = 70);
CREATE TABLE ledger(seq int8 PRIMARY KEY, uid int8 NOT NULL, nominal int8, due int8, source int2, outcome int2,
  reason int2, revision int4, state int2, attempt int4, attempt_state int2, session int8, stop int2 DEFAULT 0,
  listened bool, queue int4, rank int8, claimable_from int8, expires_at int8, queued_at int8, started_at int8,
  ended_at int8, exit int4, prev_seq int8) WITH (fillfactor = 70);
CREATE INDEX ledger_running ON ledger(session, seq) WHERE state = 3;
CREATE TABLE live(uid int8, seq int8, PRIMARY KEY(uid, seq));
CREATE TABLE ready(queue int4, rank int8, seq int8, uid int8, attempt int4, claimable_from int8,
  PRIMARY KEY(queue, rank, seq));
CREATE TABLE worker(session int8 PRIMARY KEY, lease_until int8 NOT NULL);
CREATE TABLE stop(session int8, seq int8, uid int8, attempt int4, PRIMARY KEY(session, seq));
)sql";

// Where the wake-up stands: in the state row, or in a table of its own.
inline constexpr const char* wake_column = "CREATE INDEX state_wake ON state(wake_at) WITH (fillfactor = 70);";
inline constexpr const char* wake_table = R"sql(
CREATE TABLE wake(uid int8 PRIMARY KEY, at int8) WITH (fillfactor = 70);
CREATE INDEX wake_at ON wake(at) WITH (fillfactor = 70);
)sql";

// The planner sees arrays of unknown length and tables that were empty when it last looked. So that it cannot choose
// badly, tables are reached by key from LATERAL, OFFSET 0 or FOR UPDATE, which it does not rearrange, and one CTE is
// compared with another by IN in a place where that becomes a hash table. Sessions switch off every join but loops.

// read_due($1 count_max, $2 servers, $3 me, $4 low-water mark): the own share first; what others left lying for 250 ms
// only if that does not fill the batch. Also takes a block of ledger numbers, after the snapshot that it reads, so that
// the numbers of one schedule grow from decision to decision whichever server takes them.
inline constexpr const char* read_due_own_first = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now, nextval('ledger_block') AS block),
own AS MATERIALIZED (
  SELECT uid, version, revision, wake_at, cursor, more, body, run_seq, last_seq FROM state
  WHERE wake_at >= $4 AND wake_at <= (SELECT now FROM clock) AND mod(uid, $2) = $3 ORDER BY wake_at LIMIT $1),
other AS MATERIALIZED (
  SELECT uid, version, revision, wake_at, cursor, more, body, run_seq, last_seq FROM state
  WHERE wake_at >= $4 AND wake_at <= (SELECT now - 250000 FROM clock) AND mod(uid, $2) <> $3
  ORDER BY wake_at LIMIT (SELECT $1 - count(*) FROM own)),
due AS MATERIALIZED (SELECT * FROM own UNION ALL SELECT * FROM other)
)sql";
// Without preference inside what is overdue: every server reads the same rows as soon as all are late.
inline constexpr const char* read_due_mixed = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now, nextval('ledger_block') AS block),
due AS MATERIALIZED (
  SELECT uid, version, revision, wake_at, cursor, more, body, run_seq, last_seq FROM state
  WHERE wake_at >= $4 AND wake_at <= (SELECT now FROM clock)
    AND (mod(uid, $2) = $3 OR wake_at <= (SELECT now - 250000 FROM clock)) ORDER BY wake_at LIMIT $1)
)sql";
inline constexpr const char* read_due_wake_table = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now, nextval('ledger_block') AS block),
own AS MATERIALIZED (
  SELECT uid, at FROM wake WHERE at >= $4 AND at <= (SELECT now FROM clock) AND mod(uid, $2) = $3 ORDER BY at LIMIT $1),
other AS MATERIALIZED (
  SELECT uid, at FROM wake WHERE at >= $4 AND at <= (SELECT now - 250000 FROM clock) AND mod(uid, $2) <> $3
  ORDER BY at LIMIT (SELECT $1 - count(*) FROM own)),
due AS MATERIALIZED (
  SELECT w.uid, version, revision, w.at AS wake_at, cursor, more, body, run_seq, last_seq
  FROM (SELECT * FROM own UNION ALL SELECT * FROM other) w CROSS JOIN LATERAL (
    SELECT version, revision, cursor, more, body, run_seq, last_seq FROM state s WHERE s.uid = w.uid OFFSET 0) s)
)sql";
inline constexpr const char* read_due_runs = R"sql(
SELECT d.uid, version, revision::int8, wake_at, cursor, more::int8, body, g.seq, g.state, g.attempt,
  (SELECT block FROM clock), last_seq
FROM due d LEFT JOIN LATERAL (
  SELECT seq, state::int8, attempt::int8 FROM ledger WHERE seq = d.run_seq OFFSET 0) g ON true
UNION ALL
SELECT d.uid, version, revision, wake_at, cursor, more, body, g.seq, g.state, g.attempt, (SELECT block FROM clock),
  last_seq
FROM due d CROSS JOIN LATERAL (SELECT seq FROM live l WHERE l.uid = d.uid OFFSET 0) l
CROSS JOIN LATERAL (SELECT seq, state, attempt FROM ledger WHERE seq = l.seq OFFSET 0) g WHERE d.more > 0)sql";

// Sent before commit in the same transaction and round trip when runs are named (flags 2, 4, 8): $1 their seqs, sorted.
// A ledger row is the lock of all rows of its run. Commit then has a snapshot that is younger than the locks and sees
// the ready row of a retry that was just written, which a lock taken inside it would not make visible.
inline constexpr const char* lock_runs = R"sql(
SELECT g.seq FROM unnest($1::int8[]) AS n(seq)
CROSS JOIN LATERAL (SELECT seq FROM ledger WHERE seq = n.seq FOR UPDATE) g)sql";

// commit: items $1-$9 sorted by uid, new ledger rows $10-$20 and $27-$28, named runs $21-$23 (flags 1 counted,
// 2 waits on, 4 release, 8 cancel, 16 counted and perhaps listed in `live`; one entry per run), $24 writer, $25
// session, $26 slots. Every write is driven from the RETURNING of the fenced UPDATE.
inline constexpr const char* commit_begin = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
item AS MATERIALIZED (
  SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
    $9::bytea[]) AS t(uid, version, revision, wake_at, cursor, last_seq, first_run, more, body)),
named AS MATERIALIZED (SELECT * FROM unnest($21::int8[], $22::int8[], $23::int8[]) AS t(uid, seq, flags)),
held AS MATERIALIZED (
  SELECT g.*, n.flags FROM named n CROSS JOIN LATERAL (
    SELECT uid, seq, state, attempt, session, queue, rank FROM ledger WHERE seq = n.seq AND uid = n.uid OFFSET 0) g
  WHERE n.flags & 14 > 0),
late AS MATERIALIZED (SELECT uid FROM held WHERE flags & 2 > 0 AND state >= 4),
)sql";
inline constexpr const char* commit_fence_column = R"sql(
fenced AS (
  UPDATE state s SET version = s.version + 1, revision = i.revision, writer = $24, cursor = i.cursor, body = i.body,
    wake_at = CASE WHEN i.uid IN (SELECT uid FROM late) THEN least(i.wake_at, (SELECT now FROM clock)) ELSE i.wake_at END,
    last_seq = coalesce(i.last_seq, s.last_seq), more = i.more,
    run_seq = CASE WHEN s.run_seq IS NULL OR s.run_seq IN (SELECT seq FROM named WHERE flags & 1 > 0)
      THEN i.first_run ELSE s.run_seq END
  FROM item i WHERE s.uid = i.uid AND s.version = i.version RETURNING s.uid, s.run_seq),
)sql";
inline constexpr const char* commit_fence_table = R"sql(
fenced AS (
  UPDATE state s SET version = s.version + 1, revision = i.revision, writer = $24, cursor = i.cursor, body = i.body,
    last_seq = coalesce(i.last_seq, s.last_seq), more = i.more,
    run_seq = CASE WHEN s.run_seq IS NULL OR s.run_seq IN (SELECT seq FROM named WHERE flags & 1 > 0)
      THEN i.first_run ELSE s.run_seq END
  FROM item i WHERE s.uid = i.uid AND s.version = i.version RETURNING s.uid, s.run_seq, i.wake_at),
moved AS (
  UPDATE wake w SET at = CASE WHEN f.uid IN (SELECT uid FROM late) THEN least(f.wake_at, (SELECT now FROM clock))
    ELSE f.wake_at END
  FROM fenced f WHERE w.uid = f.uid),
)sql";
inline constexpr const char* commit_end = R"sql(
fresh AS MATERIALIZED (
  SELECT r.*, r.state = 1 AND r.slot <= $26
    AND NOT EXISTS (SELECT FROM ready q WHERE q.queue = r.queue AND q.rank <= r.rank
      AND q.claimable_from <= (SELECT now FROM clock))
    AND EXISTS (SELECT FROM worker WHERE session = $25 AND lease_until >= (SELECT now FROM clock) FOR KEY SHARE)
    AS claimed
  FROM unnest($10::int8[], $11::int8[], $12::int8[], $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::int8[],
    $18::int8[], $19::int8[], $20::int8[], $27::int8[], $28::int8[]) WITH ORDINALITY
    AS r(uid, seq, nominal, due, source, outcome, reason, state, queue, rank, listened, revision, prev_seq, slot)
  WHERE (r.uid IN (SELECT uid FROM fenced)) IS TRUE),
ledgered AS (
  INSERT INTO ledger(seq, uid, nominal, due, source, outcome, reason, revision, prev_seq, state, attempt,
    attempt_state, session, listened, queue, rank, claimable_from, queued_at, started_at)
  SELECT seq, uid, nominal, due, source, outcome, reason, revision, prev_seq, CASE WHEN claimed THEN 3 ELSE state END,
    CASE WHEN claimed THEN 1 ELSE 0 END, 0, CASE WHEN claimed THEN $25::int8 END, listened > 0, queue, rank,
    (SELECT now FROM clock), (SELECT now FROM clock), CASE WHEN claimed THEN (SELECT now FROM clock) END FROM fresh),
others AS (
  INSERT INTO live SELECT uid, seq FROM fresh
  WHERE state <= 3 AND (seq IN (SELECT run_seq FROM fenced)) IS NOT TRUE),
touched AS MATERIALIZED (SELECT * FROM held WHERE (uid IN (SELECT uid FROM fenced)) IS TRUE AND state < 4),
readied AS (
  INSERT INTO ready SELECT queue, rank, seq, uid, 0, (SELECT now FROM clock) FROM fresh WHERE state = 1 AND NOT claimed
  UNION ALL SELECT queue, rank, seq, uid, attempt, (SELECT now FROM clock) FROM touched
    WHERE flags & 12 = 4 AND state = 0),
counted AS (
  DELETE FROM live l USING named n
  WHERE n.flags & 16 > 0 AND l.uid = n.uid AND l.seq = n.seq AND (n.uid IN (SELECT uid FROM fenced)) IS TRUE),
changed AS (
  UPDATE ledger g SET listened = g.listened OR t.flags & 2 > 0,
    stop = CASE WHEN t.flags & 8 > 0 AND t.state = 3 THEN 1 ELSE g.stop END,
    state = CASE WHEN t.flags & 8 > 0 AND t.state < 3 THEN 8 WHEN t.flags & 4 > 0 AND t.state = 0 THEN 1
      ELSE t.state END,
    ended_at = CASE WHEN t.flags & 8 > 0 AND t.state < 3 THEN (SELECT now FROM clock) ELSE g.ended_at END
  FROM touched t WHERE g.seq = t.seq),
stopped AS (
  INSERT INTO stop SELECT session, seq, uid, attempt FROM touched WHERE flags & 8 > 0 AND state = 3
  ON CONFLICT DO NOTHING),
unreadied AS (
  DELETE FROM ready r USING touched t
  WHERE t.flags & 8 > 0 AND t.state IN (1, 2) AND r.queue = t.queue AND r.rank = t.rank AND r.seq = t.seq)
SELECT uid, 0::int8 FROM fenced UNION ALL SELECT uid, seq FROM fresh WHERE claimed)sql";

// claim($1 session, $2 queues, $3 count_max). The ledger row is the only lock a run has.
inline constexpr const char* claim = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
picked AS MATERIALIZED (
  SELECT c.* FROM (
    SELECT FROM worker WHERE session = $1 AND lease_until >= (SELECT now FROM clock) FOR KEY SHARE) w
  CROSS JOIN unnest($2::int8[]) AS q(queue) CROSS JOIN LATERAL (
    SELECT r.queue, r.rank, r.seq FROM ready r JOIN ledger g ON g.seq = r.seq
    WHERE r.queue = q.queue AND r.claimable_from <= (SELECT now FROM clock) AND g.state IN (1, 2)
      AND g.attempt = r.attempt
    ORDER BY r.rank, r.seq LIMIT $3 FOR UPDATE OF g SKIP LOCKED) c
  ORDER BY c.rank, c.seq LIMIT $3),
unreadied AS (
  DELETE FROM ready r USING picked p WHERE r.queue = p.queue AND r.rank = p.rank AND r.seq = p.seq),
taken AS (
  UPDATE ledger g SET state = 3, attempt = g.attempt + 1, attempt_state = 0, session = $1, stop = 0,
    started_at = (SELECT now FROM clock)
  FROM picked p WHERE g.seq = p.seq RETURNING g.uid, g.seq, g.attempt)
SELECT uid, seq, attempt::int8 FROM taken)sql";

// finish($1 session, $2-$8 items sorted by seq). `attempt_state < 2` is `state = 3` for the attempt that is named; said
// this way, and with IS NOT DISTINCT FROM, it keeps the planner from starting at the index of running runs.
inline constexpr const char* finish_begin = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
item AS MATERIALIZED (
  SELECT * FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[])
    AS t(uid, seq, attempt, stop, state, exit, claimable_from)),
ended AS (
  UPDATE ledger g SET state = i.state, attempt_state = 2, ended_at = (SELECT now FROM clock), exit = i.exit,
    claimable_from = i.claimable_from, rank = CASE WHEN i.state = 2 THEN i.claimable_from ELSE g.rank END
  FROM item i
  WHERE g.seq = i.seq AND g.uid = i.uid AND g.attempt = i.attempt AND g.attempt_state < 2 AND g.stop = i.stop
    AND g.session IS NOT DISTINCT FROM $1
  RETURNING g.uid, g.seq, g.state, g.attempt, g.stop, g.listened, g.queue, g.rank, g.claimable_from),
readied AS (INSERT INTO ready SELECT queue, rank, seq, uid, attempt, claimable_from FROM ended WHERE state = 2),
unstopped AS (DELETE FROM stop s USING ended e WHERE e.stop <> 0 AND s.session = $1 AND s.seq = e.seq),
heard AS MATERIALIZED (SELECT DISTINCT uid FROM ended WHERE listened AND state >= 4 ORDER BY uid),
)sql";
inline constexpr const char* finish_wake_column = R"sql(
woken AS (
  UPDATE state s SET wake_at = least(s.wake_at, (SELECT now FROM clock)) FROM heard h WHERE s.uid = h.uid)
SELECT seq FROM ended)sql";
inline constexpr const char* finish_wake_table = R"sql(
woken AS (UPDATE wake w SET at = least(w.at, (SELECT now FROM clock)) FROM heard h WHERE w.uid = h.uid)
SELECT seq FROM ended)sql";

// heartbeat($1 session, $2 lease, $3 seqs, sorted, $4 attempts of newly launched attempts)
inline constexpr const char* heartbeat = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
renewed AS (
  UPDATE worker SET lease_until = (SELECT now FROM clock) + $2
  WHERE session = $1 AND lease_until >= (SELECT now FROM clock) RETURNING session),
launched AS (
  UPDATE ledger g SET attempt_state = 1, started_at = (SELECT now FROM clock)
  FROM unnest($3::int8[], $4::int8[]) AS t(seq, attempt)
  WHERE g.seq = t.seq AND g.attempt = t.attempt AND g.session IS NOT DISTINCT FROM $1
    AND g.attempt_state = 0 AND (SELECT count(*) FROM renewed) = 1)
SELECT s.uid, s.seq, s.attempt::int8 FROM renewed r JOIN stop s ON s.session = r.session)sql";

// Runs of lost sessions, as items for finish. The lock waits for claims that began under the lease; the runs are read
// by the next statement, whose snapshot sees what they took.
inline constexpr const char* lost_sessions =
    "SELECT session FROM worker WHERE lease_until < store_now() ORDER BY session FOR UPDATE";
inline constexpr const char* runs_of_sessions = R"sql(
SELECT session, uid, seq, attempt::int8, stop::int8 FROM ledger
WHERE session = ANY($1::int8[]) AND state = 3 ORDER BY seq)sql";

// What was compared and left: a row in `live` for every run until its end is counted.
namespace live_rows {
inline constexpr const char* schema = R"sql(
DROP TABLE live;
DROP INDEX ledger_running;
CREATE TABLE live(uid int8, seq int8, state int2, attempt int4, session int8, stop int2, listened bool,
  PRIMARY KEY(uid, seq)) WITH (fillfactor = 70);
)sql";
inline constexpr const char* read_due = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now, nextval('ledger_block') AS block),
due AS MATERIALIZED (
  SELECT uid, version, revision, wake_at, cursor, more, body, last_seq FROM state
  WHERE wake_at >= $4 AND wake_at <= (SELECT now FROM clock) AND mod(uid, $2) = $3 ORDER BY wake_at LIMIT $1)
SELECT d.uid, version, revision::int8, wake_at, cursor, more::int8, body, l.seq, l.state, l.attempt,
  (SELECT block FROM clock), last_seq
FROM due d LEFT JOIN LATERAL (
  SELECT seq, state::int8, attempt::int8 FROM live WHERE uid = d.uid OFFSET 0) l ON true)sql";
inline constexpr const char* commit = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
item AS MATERIALIZED (
  SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
    $9::bytea[]) AS t(uid, version, revision, wake_at, cursor, last_seq, first_run, more, body)),
fenced AS (
  UPDATE state s SET version = s.version + 1, revision = i.revision, writer = $24, cursor = i.cursor, body = i.body,
    wake_at = i.wake_at, last_seq = coalesce(i.last_seq, s.last_seq)
  FROM item i WHERE s.uid = i.uid AND s.version = i.version RETURNING s.uid),
fresh AS MATERIALIZED (
  SELECT r.*, r.state = 1 AND r.slot <= $26
    AND NOT EXISTS (SELECT FROM ready q WHERE q.queue = r.queue AND q.rank <= r.rank AND q.claimable_from <= (SELECT now FROM clock))
    AND EXISTS (SELECT FROM worker WHERE session = $25 AND lease_until >= (SELECT now FROM clock) FOR KEY SHARE) AS claimed
  FROM unnest($10::int8[], $11::int8[], $12::int8[], $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::int8[],
    $18::int8[], $19::int8[], $20::int8[], $27::int8[], $28::int8[]) WITH ORDINALITY
    AS r(uid, seq, nominal, due, source, outcome, reason, state, queue, rank, listened, revision, prev_seq, slot)
  WHERE (r.uid IN (SELECT uid FROM fenced)) IS TRUE),
ledgered AS (
  INSERT INTO ledger(seq, uid, nominal, due, source, outcome, reason, revision, prev_seq, state, attempt,
    attempt_state, session, listened, queue, rank, claimable_from, queued_at, started_at)
  SELECT seq, uid, nominal, due, source, outcome, reason, revision, prev_seq, CASE WHEN claimed THEN 3 ELSE state END,
    CASE WHEN claimed THEN 1 ELSE 0 END, 0, CASE WHEN claimed THEN $25::int8 END, listened > 0, queue, rank,
    (SELECT now FROM clock), (SELECT now FROM clock), CASE WHEN claimed THEN (SELECT now FROM clock) END FROM fresh),
lived AS (
  INSERT INTO live SELECT uid, seq, CASE WHEN claimed THEN 3 ELSE state END, CASE WHEN claimed THEN 1 ELSE 0 END,
    CASE WHEN claimed THEN $25::int8 END, 0, listened > 0 FROM fresh),
readied AS (INSERT INTO ready SELECT queue, rank, seq, uid, 0, (SELECT now FROM clock) FROM fresh WHERE state = 1 AND NOT claimed),
counted AS (
  DELETE FROM live l USING unnest($21::int8[], $22::int8[], $23::int8[]) AS n(uid, seq, flags)
  WHERE l.uid = n.uid AND l.seq = n.seq AND (n.uid IN (SELECT uid FROM fenced)) IS TRUE)
SELECT uid, 0::int8 FROM fenced UNION ALL SELECT uid, seq FROM fresh WHERE claimed)sql";
inline constexpr const char* finish = R"sql(
WITH clock AS MATERIALIZED (SELECT store_now() AS now),
item AS MATERIALIZED (
  SELECT * FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[])
    AS t(uid, seq, attempt, stop, state, exit, claimable_from)),
ended AS (
  UPDATE live l SET state = i.state FROM item i
  WHERE l.uid = i.uid AND l.seq = i.seq AND l.state = 3 AND l.attempt = i.attempt AND l.session = $1 AND l.stop = i.stop
  RETURNING l.uid, l.seq, l.listened, i.state, i.exit, i.claimable_from),
ledgered AS (
  UPDATE ledger g SET state = e.state, attempt_state = 2, ended_at = (SELECT now FROM clock), exit = e.exit,
    claimable_from = e.claimable_from FROM ended e WHERE g.seq = e.seq),
woken AS (
  UPDATE state s SET wake_at = least(s.wake_at, (SELECT now FROM clock)) FROM ended e WHERE e.listened AND s.uid = e.uid)
SELECT seq FROM ended)sql";
}  // namespace live_rows

}  // namespace carillon::store_rows::postgres
