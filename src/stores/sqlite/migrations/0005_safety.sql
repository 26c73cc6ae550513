-- How many audit records there are, the digest of the newest, and a seal over both that needs a key outside of this file:
-- who takes away the newest records has to forge it. What exists is sealed when the store is opened with its first key.
ALTER TABLE meta ADD COLUMN audit_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN audit_head TEXT NOT NULL DEFAULT '';
ALTER TABLE meta ADD COLUMN audit_seal TEXT NOT NULL DEFAULT '';
UPDATE meta SET audit_count = coalesce((SELECT max(number) FROM audit), 0),
  audit_head = coalesce((SELECT digest FROM audit ORDER BY number DESC LIMIT 1), '');

-- Deleted schedules that are still to be forgotten: few.
CREATE INDEX state_deleted ON state(uid) WHERE flags & 2 <> 0;

-- When a server last told that it decides, and the stretches in which none did. From here on the body of a state may
-- have one count more, and the time since which its definition is in force.
ALTER TABLE meta ADD COLUMN decided_at INTEGER;
CREATE TABLE outage(
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  cause INTEGER NOT NULL
) STRICT;

-- Successes that had been counted when a run was started.
ALTER TABLE ledger ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

-- What a request wrote; its revision is 0 where that was not kept.
ALTER TABLE request ADD COLUMN uid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request ADD COLUMN decision INTEGER NOT NULL DEFAULT 0;

-- The wall clock less the time since boot, as the times of leases and waits were written; none until the first write
-- after the file was opened.
ALTER TABLE meta ADD COLUMN clock_offset INTEGER;
-- Whether an editor may also define commands. Tokens from before may not: an admin gives them the scope anew.
ALTER TABLE token ADD COLUMN may_execute INTEGER NOT NULL DEFAULT 0;
