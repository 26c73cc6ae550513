-- What people are shown and what they do: lists, events, the audit log, tokens.

-- Living schedules in the order of lists, with what lists are filtered by. How many there are stands beside it.
CREATE TABLE listing(
  namespace TEXT NOT NULL,
  id TEXT NOT NULL COLLATE NOCASE,
  uid INTEGER NOT NULL,
  status INTEGER NOT NULL,
  name TEXT NOT NULL,
  action TEXT NOT NULL,
  labels TEXT NOT NULL,
  workflow TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE namespace(
  name TEXT PRIMARY KEY,
  schedules INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The third byte of a body is the status, which from now on stands in the flags too.
UPDATE state SET flags = flags | (CAST(hex(substr(body, 3, 1)) AS INTEGER) << 5) WHERE hex(substr(body, 3, 1)) <> '00';

-- And the ninth says that something was decided before its nominal time, which is rare.
UPDATE state SET flags = flags | 256 WHERE uid IN (SELECT uid FROM ledger WHERE nominal > at);

INSERT INTO listing
SELECT n.namespace, n.id, n.uid, (s.flags >> 5) & 7,
  iif(d.is_sound, coalesce(CAST(json_extract(d.document, '$.name') AS TEXT), ''), ''),
  iif(d.is_sound, coalesce((SELECT key FROM json_each(d.document, '$.action') LIMIT 1), ''), ''),
  iif(d.is_sound, coalesce(d.document -> '$.labels', '{}'), '{}'),
  iif(d.is_sound, coalesce(d.document -> '$.action.job.payload.workflowId', ''), '')
FROM schedule n
CROSS JOIN state s ON s.uid = n.uid
LEFT JOIN (SELECT uid, max(revision), document, json_valid(document) AS is_sound FROM definition GROUP BY uid) d
  ON d.uid = n.uid
WHERE s.flags & 2 = 0;

INSERT INTO namespace SELECT namespace, count(*) FROM listing GROUP BY namespace;

-- The rows of one schedule: these are few.
CREATE INDEX change_of ON change(uid);
CREATE INDEX skipped_range_of ON skipped_range(uid);
CREATE INDEX voided_range_of ON voided_range(uid);

-- The attempts of a run hang together from the newest back. None: it is the first.
ALTER TABLE attempt ADD COLUMN prev_seq INTEGER;
CREATE INDEX attempt_run ON attempt(run_seq, attempt);
UPDATE attempt SET prev_seq = (SELECT a.seq FROM attempt a WHERE a.run_seq = attempt.run_seq
  AND a.attempt < attempt.attempt ORDER BY a.attempt DESC LIMIT 1) WHERE attempt > 1;
DROP INDEX attempt_run;

-- Of a job without a schedule; none in rows of older formats, which had only one: default.
ALTER TABLE extra ADD COLUMN namespace TEXT;

ALTER TABLE queue ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;
CREATE INDEX queue_paused ON queue(id) WHERE is_paused = 1;

-- What happened, one row for all that became durable together. `position` is that of its first event.
CREATE TABLE feed(
  position INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  events BLOB NOT NULL
) STRICT;
ALTER TABLE meta ADD COLUMN feed INTEGER NOT NULL DEFAULT 0;

CREATE TABLE audit(
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  operation TEXT NOT NULL,
  namespace TEXT NOT NULL,
  target TEXT NOT NULL,
  outcome TEXT NOT NULL,
  document_before TEXT NOT NULL,
  document_after TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE INDEX audit_namespace ON audit(namespace);

CREATE TABLE token(
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role INTEGER NOT NULL,
  namespace TEXT,
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE idempotency(
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  at INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  decisions BLOB NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX idempotency_at ON idempotency(at);
