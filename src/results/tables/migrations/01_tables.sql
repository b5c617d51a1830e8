CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,           -- over the facts
  facts TEXT NOT NULL                    -- JSON object
) STRICT;

CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,              -- the same in every copy of its record
  experiment TEXT NOT NULL,              -- the matrix's name
  runner TEXT NOT NULL,
  matrix_file TEXT NOT NULL,
  matrix_text TEXT NOT NULL,
  command TEXT NOT NULL,                 -- JSON array
  version TEXT NOT NULL,
  machine_id INTEGER NOT NULL REFERENCES machine,
  pid INTEGER NOT NULL,
  started_at REAL NOT NULL,              -- seconds since the epoch, as all *_at
  ended_at REAL,
  outcome TEXT,                          -- NULL during the run; done, failed, interrupted, error, died
  CHECK (outcome IN ('done', 'failed', 'interrupted', 'error', 'died'))
) STRICT;

CREATE TABLE stage (                     -- one row per digest, shared by all runs that plan it
  id INTEGER PRIMARY KEY,
  digest TEXT UNIQUE,                    -- NULL: a fact is unknown
  name TEXT NOT NULL,                    -- in the manifest
  kind TEXT NOT NULL,
  parameters TEXT NOT NULL,              -- JSON object
  components TEXT NOT NULL,              -- JSON array of [name, value]: the input of the digest
  argv TEXT NOT NULL,                    -- JSON array, symbolic
  env TEXT NOT NULL,                     -- JSON object, symbolic
  rendered TEXT NOT NULL,                -- JSON object: path -> text, symbolic
  repeat INTEGER NOT NULL
) STRICT;
CREATE INDEX stage_by_name ON stage(name);

CREATE TABLE stage_need (
  stage_id INTEGER NOT NULL REFERENCES stage,
  name TEXT NOT NULL,                    -- in the manifest
  needs_id INTEGER NOT NULL REFERENCES stage,
  PRIMARY KEY (stage_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_stage (                 -- a stage in the plan of one run, and its state there
  run_id INTEGER NOT NULL REFERENCES run,
  stage_id INTEGER NOT NULL REFERENCES stage,
  plan_id TEXT NOT NULL,                 -- "build-1a2b3c4d"
  planned TEXT NOT NULL,                 -- run, reuse, reject, undecided, idle
  planned_why TEXT NOT NULL,
  state TEXT NOT NULL,                   -- of the scheduler; the planned status of a stage that it does not run
  state_why TEXT NOT NULL,
  changed_at REAL NOT NULL,
  PRIMARY KEY (run_id, plan_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_stage_by_stage ON run_stage(stage_id);

CREATE TABLE point (                     -- a point as one run requested it
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  why TEXT NOT NULL,
  parameters TEXT NOT NULL,              -- JSON object
  UNIQUE (run_id, name)
) STRICT;
CREATE INDEX point_by_name ON point(name);

CREATE TABLE point_stage (
  point_id INTEGER NOT NULL REFERENCES point,
  stage_id INTEGER NOT NULL REFERENCES stage,
  place INTEGER NOT NULL,                -- in the order of the manifest
  PRIMARY KEY (point_id, stage_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_stage_by_stage ON point_stage(stage_id);

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  stage_id INTEGER NOT NULL REFERENCES stage,
  number INTEGER NOT NULL,               -- 1, 2, ... per stage, over all runs
  token TEXT NOT NULL UNIQUE,
  argv TEXT NOT NULL,                    -- JSON array, as it ran
  env TEXT NOT NULL,                     -- JSON object, what the manifest sets
  work TEXT NOT NULL,
  log TEXT NOT NULL,                     -- path under the store
  ports TEXT NOT NULL,                   -- JSON object
  tool_version TEXT,
  intended_at REAL NOT NULL,
  pid INTEGER,
  start_ticks INTEGER,                   -- field 22 of /proc/PID/stat
  spawned_at REAL,
  ended_at REAL,
  ok INTEGER,                            -- NULL until the end
  exit_code INTEGER,                     -- NULL after a signal
  signal INTEGER,
  failure_class TEXT,
  message TEXT,
  wall_s REAL,
  cpu_s REAL,
  max_rss_bytes INTEGER,
  UNIQUE (stage_id, number)
) STRICT;
CREATE INDEX attempt_by_run ON attempt(run_id);

CREATE TABLE artifact (
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
  stage_id INTEGER NOT NULL REFERENCES stage,
  path TEXT NOT NULL,                    -- folder under the store
  in_place INTEGER NOT NULL,
  absolute_path TEXT NOT NULL,           -- where it was published; binding only for in_place
  digest TEXT NOT NULL,                  -- over paths and contents of its files
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  published_at REAL NOT NULL,
  removed_at REAL
) STRICT;
CREATE INDEX artifact_by_stage ON artifact(stage_id);

CREATE TABLE artifact_file (
  artifact_id INTEGER NOT NULL REFERENCES artifact,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (artifact_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE resolution (                -- the commits of mutable revisions
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  resolved_at REAL NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_identity (             -- digests of files, keyed by their stat(2) facts
  path TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE service_session (
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
  ready_at REAL,
  start_s REAL
) STRICT;

CREATE TABLE measurement (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- newer is greater
  attempt_id INTEGER NOT NULL REFERENCES attempt,
  ordinal INTEGER NOT NULL,              -- place in measurement.json
  stage_id INTEGER NOT NULL REFERENCES stage,
  session_id INTEGER REFERENCES service_session,
  session_order INTEGER NOT NULL,
  valid INTEGER NOT NULL,
  reasons TEXT NOT NULL,                 -- joined by '; '
  warnings TEXT NOT NULL,                -- joined by '; '
  unsupported TEXT NOT NULL,             -- columns that n is too small for, joined by ' '
  load TEXT NOT NULL,                    -- JSON object, as the other three
  counting TEXT NOT NULL,
  client TEXT NOT NULL,
  window_start_ns INTEGER,
  window_s REAL,
  path TEXT NOT NULL,                    -- folder of the record, under the store
  record_sha256 TEXT NOT NULL,           -- of measurement.json
  metric_version INTEGER NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0, -- the attempt was superseded: shown in no view
  measured_at REAL NOT NULL,
  UNIQUE (attempt_id, ordinal)
) STRICT;
CREATE INDEX measurement_by_stage ON measurement(stage_id, ordinal, valid, superseded);

CREATE TABLE metric (
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  name TEXT NOT NULL,
  mean REAL,                             -- or the value
  sd REAL, min REAL, max REAL,
  p50 REAL, p90 REAL, p95 REAL, p99 REAL, p999 REAL,
  n INTEGER,
  interval_low REAL, interval_high REAL,
  PRIMARY KEY (measurement_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE request (
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  line INTEGER NOT NULL,                 -- in requests.jsonl, from 1
  idx INTEGER NOT NULL,
  warmup INTEGER NOT NULL,
  block INTEGER,
  due_ns INTEGER, sent_ns INTEGER, first_ns INTEGER, last_ns INTEGER, end_ns INTEGER,   -- from the start of the window
  isl INTEGER, isl_reported INTEGER,
  osl_requested INTEGER, osl_counted INTEGER, osl_reported INTEGER,
  coalesced INTEGER,
  status INTEGER,
  error TEXT,
  gaps BLOB,                             -- ns between token events, varint (token_gaps.hpp)
  PRIMARY KEY (measurement_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE answer (
  measurement_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (measurement_id, line),
  FOREIGN KEY (measurement_id, line) REFERENCES request
) STRICT, WITHOUT ROWID;

CREATE TABLE server_counter (
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  name TEXT NOT NULL,                    -- with its labels
  before REAL,
  after REAL,
  PRIMARY KEY (measurement_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (                     -- the events of a run, in order; no decision reads them
  run_id INTEGER NOT NULL REFERENCES run,
  sequence INTEGER NOT NULL,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  stage TEXT NOT NULL,
  attempt INTEGER,
  detail TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;

-- Behind the view `results`: one column per parameter, metric and statistic, added on first use.
CREATE TABLE wide_column (
  name TEXT PRIMARY KEY,
  parameter INTEGER NOT NULL,            -- 1: of point_wide; 0: of metric_wide
  metric TEXT,
  statistic TEXT                         -- '' for the mean or the value
) STRICT;
CREATE TABLE point_wide (point_id INTEGER PRIMARY KEY REFERENCES point) STRICT;
CREATE TABLE metric_wide (measurement_id INTEGER PRIMARY KEY REFERENCES measurement) STRICT;
