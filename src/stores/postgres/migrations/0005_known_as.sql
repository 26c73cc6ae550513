-- What an attempt is called where it is performed, if that is elsewhere: the run id of a workflow.
ALTER TABLE attempt ADD COLUMN known_as text;
