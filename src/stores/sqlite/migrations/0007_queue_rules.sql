-- A row of `queue` is a lane (src/engine/lane.hpp). What users say of a queue stands in the row that has its name alone.
ALTER TABLE queue ADD COLUMN run_limit INTEGER;
ALTER TABLE queue ADD COLUMN keeps_failed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX queue_limited ON queue(id) WHERE run_limit IS NOT NULL;

-- Dead letters: bit 5 of the flags.
CREATE INDEX ledger_parked ON ledger(seq) WHERE flags & 32 <> 0;
