ALTER TABLE run ADD COLUMN folder TEXT;            -- absolute, the working directory; NULL: unknown
ALTER TABLE attempt ADD COLUMN process TEXT;       -- token of its process: its own or that of its batch
ALTER TABLE attempt ADD COLUMN host TEXT;          -- on which it started
ALTER TABLE attempt ADD COLUMN gpus TEXT;          -- JSON array of NVML indices; NULL: none assigned
ALTER TABLE attempt ADD COLUMN boot_id TEXT;       -- of the host's kernel
ALTER TABLE attempt ADD COLUMN containment TEXT;   -- of its process tree
ALTER TABLE attempt ADD COLUMN handle TEXT;        -- JSON, by which the executor finds it again
ALTER TABLE attempt ADD COLUMN failure_kind TEXT CHECK (failure_kind IN ('system', 'harness'));  -- NULL: success, or unknown
ALTER TABLE attempt ADD COLUMN adopted_from INTEGER REFERENCES run;  -- the dead run that started it
UPDATE attempt SET process = token;
CREATE INDEX attempt_not_ended ON attempt(id) WHERE ended_at IS NULL;
ALTER TABLE artifact ADD COLUMN not_cacheable TEXT;  -- why no other run may reuse it; NULL: reusable
ALTER TABLE stage ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0;  -- 1: a run record has its content
CREATE TABLE record_file (               -- the committed length of each run record
  path TEXT NOT NULL PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
