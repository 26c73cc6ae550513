-- What an attempt used of the machine: processor time in microseconds, and the most memory it had in bytes. Commands only.
ALTER TABLE attempt ADD COLUMN user_time INTEGER;
ALTER TABLE attempt ADD COLUMN system_time INTEGER;
ALTER TABLE attempt ADD COLUMN memory_max INTEGER;
