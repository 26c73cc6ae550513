-- What servers that share a store show each other: logs, who is there, and who does what alone.

-- Programs that need at least this version of the schema may use it, however new it is. A migration that they could not
-- live with raises the number.
CREATE TABLE schema_compatibility(
  one int2 PRIMARY KEY CHECK (one = 1),
  oldest int8 NOT NULL
);
INSERT INTO schema_compatibility VALUES (1, 4);

-- The output of attempts. `printed`: bytes so far, with what was left out.
CREATE TABLE log(
  run int8 NOT NULL,
  attempt int4 NOT NULL,
  uid int8 NOT NULL,
  printed int8 NOT NULL,
  is_truncated bool NOT NULL,
  is_ended bool NOT NULL,
  PRIMARY KEY (run, attempt)
) WITH (fillfactor = 70);
CREATE INDEX log_of ON log(uid, run);

-- `first`: the place of its first byte in what was printed. Where chunks do not follow each other bytes were left out.
CREATE TABLE log_chunk(
  run int8 NOT NULL,
  attempt int4 NOT NULL,
  first int8 NOT NULL,
  size int4 NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (run, attempt, first)
);

-- Up to which run of a schedule logs were removed because there were too many.
CREATE TABLE log_trimmed(
  uid int8 PRIMARY KEY,
  seq int8 NOT NULL
);

-- Servers that are there, or were until lately.
CREATE TABLE server(
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid int8 NOT NULL,
  url text NOT NULL,
  version text NOT NULL,
  tzdata text NOT NULL,
  zone_edition int4 NOT NULL,
  roles text NOT NULL,
  running int8 NOT NULL,
  clock_offset int8 NOT NULL,
  started_at int8 NOT NULL,
  seen_at int8 NOT NULL
) WITH (fillfactor = 50);

-- Locks with a time to live. A row that is over is nobody's.
CREATE SEQUENCE lock_fence;
CREATE TABLE lock(
  name text COLLATE "C" PRIMARY KEY,
  token text NOT NULL,
  owner text NOT NULL,
  fence int8 NOT NULL,
  acquired_at int8 NOT NULL,
  until int8 NOT NULL
) WITH (fillfactor = 50);
