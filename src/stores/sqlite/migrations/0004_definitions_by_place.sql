-- A table without rowid keeps whole rows in its inner pages too: with documents of a kilobyte each page led to four
-- others, and a definition lay ten pages deep. Under a number it lies three deep. Place: uid * 2^27 + revision.
CREATE TABLE definition_by_place(
  place INTEGER PRIMARY KEY,
  uid INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
INSERT INTO definition_by_place SELECT uid << 27 | revision, uid, revision, document FROM definition ORDER BY uid, revision;
DROP TABLE definition;
ALTER TABLE definition_by_place RENAME TO definition;
