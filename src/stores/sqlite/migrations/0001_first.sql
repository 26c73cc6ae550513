-- Times are microseconds since 1970 in UTC, enumerators are numbered as in src/engine/words.hpp. docs/formats/sqlite.md
-- says what the columns mean.

CREATE TABLE meta(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  session INTEGER NOT NULL,
  zone_edition INTEGER NOT NULL,
  is_clean INTEGER NOT NULL
) STRICT;
INSERT INTO meta VALUES (1, 0, 0, 0, 0, 1);

-- Written by users.
CREATE TABLE schedule(
  uid INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  incarnation INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX schedule_name ON schedule(namespace, id COLLATE NOCASE, incarnation);

CREATE TABLE definition(
  uid INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX definition_name ON definition(uid, revision);

CREATE TABLE request(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX request_at ON request(at);

-- Written by decisions. A place keeps schedules together that are due together.
CREATE TABLE state(
  place INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  wake_at INTEGER,
  server INTEGER NOT NULL,
  batch INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  run_seq INTEGER NOT NULL,
  more INTEGER NOT NULL,
  backfills INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX state_uid ON state(uid);

CREATE TABLE wake(
  at INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  place INTEGER NOT NULL,
  is_zoned INTEGER NOT NULL,
  PRIMARY KEY (at, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine(
  uid INTEGER PRIMARY KEY,
  error TEXT NOT NULL
) STRICT;

-- The ledger: decisions with their runs, and the other lines. All of them are numbered together.
CREATE TABLE ledger(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  prev_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  server INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  version INTEGER NOT NULL,
  nominal INTEGER NOT NULL,
  due INTEGER NOT NULL,
  source INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  reason INTEGER,
  waited_from INTEGER,
  overlap INTEGER,
  backfill INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  state INTEGER,
  run_revision INTEGER NOT NULL,
  queue INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  last_success INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  attempt_state INTEGER,
  attempt_seq INTEGER NOT NULL,
  session INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  queued_at INTEGER,
  claimable_from INTEGER,
  expires_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE INDEX ledger_running ON ledger(session, seq) WHERE state = 2;

CREATE TABLE extra(
  seq INTEGER PRIMARY KEY,
  trigger TEXT NOT NULL,
  payload TEXT,
  rules BLOB
) STRICT;

CREATE TABLE result(
  seq INTEGER PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE attempt(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  run_seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  session INTEGER NOT NULL,
  at INTEGER NOT NULL,
  state INTEGER NOT NULL,
  claimable_from INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  launched_at INTEGER,
  ended_at INTEGER,
  exit_code INTEGER,
  signal INTEGER,
  reason TEXT
) STRICT;

CREATE TABLE change(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  by TEXT NOT NULL,
  reason TEXT NOT NULL,
  until INTEGER,
  has_document INTEGER NOT NULL
) STRICT;

CREATE TABLE skipped_range(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  reason INTEGER NOT NULL
) STRICT;

CREATE TABLE voided_range(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  at INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE backfill(
  seq INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  direction INTEGER NOT NULL,
  reprocess INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  is_exclusive INTEGER NOT NULL,
  state INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  started INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX backfill_number ON backfill(uid, number);

-- Rows that exist only while something is open.
CREATE TABLE live(
  uid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (uid, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE past(
  uid INTEGER NOT NULL,
  nominal INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (uid, nominal, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX queue_name ON queue(name);

CREATE TABLE ready(
  queue INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  claimable_from INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (queue, rank, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX ready_expiring ON ready(expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE later(
  queue INTEGER NOT NULL,
  claimable_from INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (queue, claimable_from, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX later_expiring ON later(expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE job(
  name TEXT PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session(
  id INTEGER PRIMARY KEY,
  worker TEXT NOT NULL,
  lease INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  phase INTEGER NOT NULL
) STRICT;
CREATE INDEX session_live ON session(lease_until) WHERE phase = 0;
CREATE INDEX session_lost ON session(id) WHERE phase = 1;

CREATE TABLE stop(
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
