-- Locks with a time to live. A row that is over is nobody's. The fence ascends with every acquisition, also after rows
-- have gone.
CREATE TABLE lock(
  name TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  owner TEXT NOT NULL,
  fence INTEGER NOT NULL,
  acquired_at INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE lock_fence(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  newest INTEGER NOT NULL
) STRICT;
INSERT INTO lock_fence VALUES (1, 0);
