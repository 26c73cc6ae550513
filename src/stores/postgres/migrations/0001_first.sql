-- Times are microseconds since 1970 in UTC, enumerators are numbered as in src/definitions/words.hpp.
-- docs/formats/postgres.md says what the columns mean. Nothing here needs more than CREATE on the schema.

-- The time by the clock that everything is measured with.
CREATE FUNCTION store_now() RETURNS int8 LANGUAGE sql VOLATILE AS
  $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 $$;

CREATE SEQUENCE ledger_seq;
CREATE SEQUENCE uid_seq;
CREATE SEQUENCE session_seq;

-- Rows of which there is one. They are apart, so that who changes one does not wait for who changes another.
CREATE TABLE zone(
  one int2 PRIMARY KEY CHECK (one = 1),
  edition int4 NOT NULL,
  settled_edition int4 NOT NULL
);
INSERT INTO zone VALUES (1, 0, 0);

CREATE TABLE presence(
  one int2 PRIMARY KEY CHECK (one = 1),
  decided_at int8
);
INSERT INTO presence VALUES (1, NULL);

-- By how much the clock was set so far, as servers have noticed it: leases and waits were moved along by so much.
CREATE TABLE clock(
  one int2 PRIMARY KEY CHECK (one = 1),
  moved int8 NOT NULL
);
INSERT INTO clock VALUES (1, 0);

CREATE TABLE audit_head(
  one int2 PRIMARY KEY CHECK (one = 1),
  count int8 NOT NULL,
  digest text NOT NULL,
  seal text NOT NULL
);
INSERT INTO audit_head VALUES (1, 0, '', '');

CREATE TABLE feed_head(
  one int2 PRIMARY KEY CHECK (one = 1),
  position int8 NOT NULL,
  newest_at int8 NOT NULL
);
INSERT INTO feed_head VALUES (1, 0, 0);

-- Written by users.
CREATE TABLE schedule(
  uid int8 PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  incarnation int8 NOT NULL,
  created_at int8 NOT NULL,
  is_deleted bool NOT NULL,
  name text NOT NULL,
  action text NOT NULL,
  labels text NOT NULL,
  workflow text NOT NULL
);
CREATE UNIQUE INDEX schedule_name ON schedule(namespace, lower(id), incarnation);
CREATE UNIQUE INDEX schedule_listed ON schedule(namespace, lower(id)) WHERE NOT is_deleted;

CREATE TABLE definition(
  uid int8 NOT NULL,
  revision int8 NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (uid, revision)
);

CREATE TABLE request(
  id int8 PRIMARY KEY,
  at int8 NOT NULL,
  uid int8 NOT NULL,
  revision int8 NOT NULL,
  decision int8 NOT NULL
);
CREATE INDEX request_at ON request(at);

-- Written by decisions. `live` has the runs that are not counted yet.
CREATE TABLE state(
  uid int8 PRIMARY KEY,
  version int8 NOT NULL,
  revision int8 NOT NULL,
  wake_at int8,
  server int8 NOT NULL,
  batch int8 NOT NULL,
  last_seq int8 NOT NULL,
  live int8[] NOT NULL,
  backfills int4 NOT NULL,
  flags int4 NOT NULL,
  body bytea NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX state_wake ON state(wake_at, uid) WITH (fillfactor = 70);
CREATE INDEX state_deleted ON state(uid) WHERE flags & 2 <> 0;

CREATE TABLE quarantine(
  uid int8 PRIMARY KEY,
  error text NOT NULL
);

-- The ledger: decisions with their runs, and the other lines. All of them are numbered together.
CREATE TABLE ledger(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  at int8 NOT NULL,
  server int8 NOT NULL,
  revision int8 NOT NULL,
  version int8 NOT NULL,
  nominal int8 NOT NULL,
  due int8 NOT NULL,
  waited_from int8,
  backfill int8 NOT NULL,
  run_revision int8 NOT NULL,
  last_success int8 NOT NULL,
  repeats int8 NOT NULL,
  attempt_seq int8 NOT NULL,
  session int8 NOT NULL,
  queued_at int8,
  claimable_from int8,
  expires_at int8,
  started_at int8,
  ended_at int8,
  rank int8,
  flags int8 NOT NULL,
  attempt int4 NOT NULL,
  priority int4 NOT NULL,
  source int2 NOT NULL,
  outcome int2 NOT NULL,
  reason int2,
  overlap int2,
  state int2,
  attempt_state int2,
  stop int2 NOT NULL,
  queue text COLLATE "C" NOT NULL,
  trigger text NOT NULL,
  payload text,
  rules bytea,
  namespace text
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX ledger_of ON ledger(uid, seq);
CREATE INDEX ledger_ready ON ledger(queue, rank, seq) WHERE state IN (1, 3);
CREATE INDEX ledger_later ON ledger(queue, claimable_from) WHERE state IN (1, 3);
CREATE INDEX ledger_expiring ON ledger(expires_at) WHERE state = 1 AND expires_at IS NOT NULL;
CREATE INDEX ledger_running ON ledger(session, seq) WHERE state = 2;
CREATE UNIQUE INDEX ledger_job ON ledger(trigger) WHERE uid = 0;

CREATE TABLE result(
  seq int8 PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE attempt(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  run_seq int8 NOT NULL,
  attempt int4 NOT NULL,
  session int8 NOT NULL,
  at int8 NOT NULL,
  state int2 NOT NULL,
  claimable_from int8 NOT NULL,
  claimed_at int8 NOT NULL,
  launched_at int8,
  ended_at int8,
  exit_code int8,
  signal int8,
  reason text,
  user_time int8,
  system_time int8,
  memory_max int8
) WITH (fillfactor = 80);
CREATE INDEX attempt_of ON attempt(run_seq, attempt);

CREATE TABLE change(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  at int8 NOT NULL,
  revision int8 NOT NULL,
  kind int2 NOT NULL,
  by text NOT NULL,
  reason text NOT NULL,
  until int8,
  has_document bool NOT NULL
);
CREATE INDEX change_of ON change(uid, seq);

CREATE TABLE skipped_range(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  at int8 NOT NULL,
  revision int8 NOT NULL,
  first int8 NOT NULL,
  last int8 NOT NULL,
  count int8 NOT NULL,
  reason int2 NOT NULL
);
CREATE INDEX skipped_range_of ON skipped_range(uid, seq);

CREATE TABLE voided_range(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  at int8 NOT NULL,
  first int8 NOT NULL,
  last int8 NOT NULL
);
CREATE INDEX voided_range_of ON voided_range(uid, seq);

CREATE TABLE backfill(
  seq int8 PRIMARY KEY,
  uid int8 NOT NULL,
  number int8 NOT NULL,
  at int8 NOT NULL,
  id text NOT NULL,
  first int8 NOT NULL,
  last int8 NOT NULL,
  direction int2 NOT NULL,
  reprocess int2 NOT NULL,
  concurrency int8 NOT NULL,
  is_exclusive bool NOT NULL,
  state int2 NOT NULL,
  cursor int8 NOT NULL,
  done int8 NOT NULL,
  total int8 NOT NULL,
  started int8 NOT NULL
);
CREATE UNIQUE INDEX backfill_number ON backfill(uid, number);

CREATE TABLE outage(
  seq int8 PRIMARY KEY,
  at int8 NOT NULL,
  first int8 NOT NULL,
  last int8 NOT NULL,
  cause int2 NOT NULL
);

-- Up to which run of a schedule the details are forgotten. No row: they are all there.
CREATE TABLE forgotten(
  uid int8 PRIMARY KEY,
  seq int8 NOT NULL
);

CREATE TABLE queue(
  name text COLLATE "C" PRIMARY KEY,
  is_paused bool NOT NULL
);

-- Phase: 0 live, 1 over and may still have runs, 2 over.
CREATE TABLE session(
  id int8 PRIMARY KEY,
  worker text NOT NULL,
  lease int8 NOT NULL,
  lease_until int8 NOT NULL,
  phase int2 NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX session_phase ON session(phase, id) WHERE phase < 2;

-- What happened, one row for each transaction. A row gets its number after its transaction has seen all that it depends
-- on, and its position when it can be read: rows that can be read are placed together, in the order of their numbers, by
-- one at a time. So what depends on another stands behind it, and nothing ever appears before what was read.
CREATE TABLE feed(
  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  writer int8 NOT NULL,
  count int8 NOT NULL,
  at int8 NOT NULL,
  position int8,
  events bytea NOT NULL
);
CREATE INDEX feed_new ON feed(id) WHERE position IS NULL;
CREATE UNIQUE INDEX feed_position ON feed(position) WHERE position IS NOT NULL;

CREATE TABLE audit(
  number int8 PRIMARY KEY,
  at int8 NOT NULL,
  actor text NOT NULL,
  address text NOT NULL,
  operation text NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  target text NOT NULL,
  outcome text NOT NULL,
  document_before text NOT NULL,
  document_after text NOT NULL,
  digest text NOT NULL
);
CREATE INDEX audit_namespace ON audit(namespace, number);

CREATE TABLE token(
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role int2 NOT NULL,
  namespace text,
  salt bytea NOT NULL,
  hash bytea NOT NULL,
  created_at int8 NOT NULL,
  expires_at int8,
  revoked_at int8,
  may_execute bool NOT NULL
);

CREATE TABLE idempotency(
  key text COLLATE "C" PRIMARY KEY,
  fingerprint text NOT NULL,
  at int8 NOT NULL,
  uid int8 NOT NULL,
  decisions int8[] NOT NULL,
  answer text
);
CREATE INDEX idempotency_at ON idempotency(at);

-- Bytes that all servers of this store must have in common.
CREATE TABLE shared_key(
  name text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);
