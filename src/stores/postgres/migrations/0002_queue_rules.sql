-- How many runs of a queue at a time, and whether runs that used up their attempts are kept as dead letters.
ALTER TABLE queue ADD COLUMN run_limit int8;
ALTER TABLE queue ADD COLUMN keeps_failed bool NOT NULL DEFAULT false;

-- Dead letters: bit 5 of the flags.
CREATE INDEX ledger_parked ON ledger(seq) WHERE flags & 32 <> 0;
