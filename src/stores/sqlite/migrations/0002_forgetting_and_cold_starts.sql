-- Up to which run of a schedule the details are forgotten. No row: they are all there.
CREATE TABLE forgotten(
  uid INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT;

ALTER TABLE meta ADD COLUMN settled_edition INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN newest_write INTEGER NOT NULL DEFAULT 0;

-- Definitions are read at random: one descent each, and the time of creation beside the name.
CREATE TABLE definition_by_name(
  uid INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (uid, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO definition_by_name SELECT uid, revision, document FROM definition;
DROP TABLE definition;
ALTER TABLE definition_by_name RENAME TO definition;
ALTER TABLE schedule ADD COLUMN created_at INTEGER;
