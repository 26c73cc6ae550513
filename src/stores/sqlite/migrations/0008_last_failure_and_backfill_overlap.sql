-- The newest failed run before this one, if none has succeeded since: its failure is told. 0: none.
ALTER TABLE ledger ADD COLUMN last_failure INTEGER NOT NULL DEFAULT 0;
-- Of a backfill that goes through the schedule's slot. Null: it has a lane of its own.
ALTER TABLE backfill ADD COLUMN overlap INTEGER;
