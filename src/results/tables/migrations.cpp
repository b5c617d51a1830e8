// The schema versions of results.db.
#include "results/tables/derived_tables.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/scores.hpp"
#include "results/tables/server_views.hpp"
#include "results/tables/sharing.hpp"

namespace orch::tables {

namespace {

// JSON columns are never searched; searched values have columns of their own. Unique constraints
// are the idempotency keys: writing a fact twice changes nothing.
constexpr std::string_view k_version_1 = R"sql(
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
)sql";

// Recovery of a dead run, and run records.
constexpr std::string_view k_version_2 = R"sql(
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
)sql";

// Series of metrics pages by family and model, and the range of gauges.
constexpr std::string_view k_version_3 = R"sql(
ALTER TABLE server_counter ADD COLUMN family TEXT;
ALTER TABLE server_counter ADD COLUMN model TEXT;  -- its label of that name
ALTER TABLE server_counter ADD COLUMN label TEXT;  -- the values of its other labels, without version
ALTER TABLE server_counter ADD COLUMN kind TEXT;   -- 'gauge' or 'counter'; NULL: unknown
ALTER TABLE server_counter ADD COLUMN min REAL;    -- of a gauge during the window
ALTER TABLE server_counter ADD COLUMN max REAL;
ALTER TABLE server_counter ADD COLUMN mean REAL;
ALTER TABLE server_counter ADD COLUMN n INTEGER;   -- samples during the window
UPDATE server_counter SET family = substr(name, 1, instr(name || '{', '{') - 1);
)sql";

// The server's side of a window, goodput, and compressed answers. A blob holds some hundred answers
// of one measurement, because a single answer is too short to compress. Only packed_text() reads
// it, so that other programs cannot query the view `answers`; they find the same texts in
// answers.jsonl.zst of the record.
constexpr std::string_view k_version_4 = R"sql(
CREATE TABLE model_time (                -- the work of a model of a server during the window
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  model TEXT NOT NULL,
  version TEXT NOT NULL,
  requests INTEGER, failed INTEGER, inferences INTEGER, executions INTEGER, cache_hits INTEGER, cache_misses INTEGER,
  request_ms REAL, queue_ms REAL, compute_input_ms REAL, compute_infer_ms REAL, compute_output_ms REAL,   -- means per request
  restarted INTEGER NOT NULL,            -- 1: reloaded during the window; counted since then
  PRIMARY KEY (measurement_id, model, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu_window (                -- the load of a GPU of a server during the window
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  gpu INTEGER NOT NULL,                  -- NVML index
  uuid TEXT, model TEXT,
  memory_gib REAL, used_gib_peak REAL,
  power_w REAL, energy_j REAL,
  sm_clock_mhz_min REAL, sm_clock_mhz_mean REAL, sm_clock_mhz_max REAL,
  busy_share REAL,
  throttled TEXT NOT NULL,               -- JSON object: reason -> share of the samples
  PRIMARY KEY (measurement_id, gpu)
) STRICT, WITHOUT ROWID;

ALTER TABLE run ADD COLUMN goodput TEXT;                -- goodput expression over the metrics of one request; NULL: none
CREATE TABLE goodput (                   -- derived, per expression of a run that shows the measurement
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  expression TEXT NOT NULL,
  requests_per_s REAL,                   -- NULL, as the next two: evaluation failed
  good INTEGER,
  of INTEGER,
  left_out TEXT NOT NULL,                -- metrics that some requests lack, joined by '; '
  PRIMARY KEY (measurement_id, expression)
) STRICT, WITHOUT ROWID;

ALTER TABLE measurement ADD COLUMN notes TEXT NOT NULL DEFAULT '';  -- unavailable data about the servers, joined by '; '
ALTER TABLE request ADD COLUMN server INTEGER;          -- the index among several servers, from 0
ALTER TABLE request ADD COLUMN sequences INTEGER;       -- number of requested answers
ALTER TABLE request ADD COLUMN stopped INTEGER;         -- 1: stopped by the client on purpose
ALTER TABLE request ADD COLUMN first_event_tokens INTEGER;  -- NULL: one
ALTER TABLE request ADD COLUMN scheduled_ns INTEGER;    -- as the next two, on the server's clock since arrival
ALTER TABLE request ADD COLUMN first_token_ns INTEGER;
ALTER TABLE request ADD COLUMN last_token_ns INTEGER;

CREATE TABLE answer_block (
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  first_line INTEGER NOT NULL,
  texts BLOB NOT NULL,                   -- packed JSON object: line of the request -> text
  PRIMARY KEY (measurement_id, first_line)
) STRICT;
INSERT INTO answer_block SELECT measurement_id, min(line), pack_text(json_group_object(line, text)) FROM answer GROUP BY measurement_id, line / 500;
DROP TABLE answer;
)sql";

// Fields that records have had for longer than the store.
constexpr std::string_view k_version_5 = R"sql(
ALTER TABLE request ADD COLUMN isl_cached INTEGER;   -- of isl_reported: tokens that the server had cached
ALTER TABLE measurement ADD COLUMN steady INTEGER;   -- 1: reached steady state; NULL: too few requests to tell, or not recorded
)sql";

constexpr std::string_view k_version_6 = R"sql(
ALTER TABLE attempt ADD COLUMN probe TEXT;           -- JSON: readiness and smoke requests of a server
)sql";

// Copies of the run records. A piece is packed text: of one line, or of many once a run is over.
// And what a failure was judged by, so that a later table of classes can judge it again.
constexpr std::string_view k_version_7 = R"sql(
ALTER TABLE record_file ADD COLUMN sum TEXT NOT NULL DEFAULT '';  -- checksum of its last line; '': of an older version
CREATE TABLE record_copy (
  path TEXT NOT NULL,
  from_byte INTEGER NOT NULL,            -- where the piece begins in the file
  bytes INTEGER NOT NULL,                -- of the piece, unpacked
  piece BLOB NOT NULL,
  UNIQUE (path, from_byte)
) STRICT;
ALTER TABLE attempt ADD COLUMN oom_killed INTEGER;   -- 1: the kernel's OOM killer acted meanwhile
ALTER TABLE attempt ADD COLUMN log_error INTEGER;    -- errno: bytes of its log were lost; NULL: none
ALTER TABLE attempt ADD COLUMN full_disk TEXT;       -- a path whose file system was full at its end
ALTER TABLE attempt ADD COLUMN judged_by TEXT;       -- digest of the table of failure classes; NULL: success, or unknown
)sql";

// Figures of other tools, and what a prefix cache did. All rows so far are of our own generator.
constexpr std::string_view k_version_8 = R"sql(
ALTER TABLE measurement ADD COLUMN tool TEXT NOT NULL DEFAULT 'native';        -- that sent the requests; native: our load generator
ALTER TABLE measurement ADD COLUMN tool_version TEXT;
ALTER TABLE measurement ADD COLUMN definition TEXT NOT NULL DEFAULT 'native';  -- the tool whose formulas the figures follow
ALTER TABLE measurement ADD COLUMN origin TEXT;                                -- file that the figures come from; NULL: measured here by us
ALTER TABLE measurement ADD COLUMN origin_sha256 TEXT;
ALTER TABLE measurement ADD COLUMN missing TEXT NOT NULL DEFAULT '';           -- figures that the file lacks, joined by ' '
CREATE INDEX measurement_by_origin ON measurement(origin_sha256) WHERE origin_sha256 IS NOT NULL;
ALTER TABLE measurement ADD COLUMN prefix_cache TEXT;                          -- 'cold' or 'warm'; NULL: not recorded
)sql";

// Which lease the database is written under: see results/store/write_mode.hpp.
constexpr std::string_view k_version_13 = R"sql(
CREATE TABLE lease_owner (
  nonce TEXT NOT NULL
) STRICT;
)sql";

// Of answers with reasoning.
constexpr std::string_view k_version_14 = R"sql(
ALTER TABLE request ADD COLUMN first_reasoning_ns INTEGER;  -- first event with text of the reasoning; NULL: none
ALTER TABLE request ADD COLUMN first_visible_ns INTEGER;    -- first event with text of the answer itself, behind its reasoning
)sql";

// Which manifests the stages of a run came from: `compare` tells by it what follows from a
// parameter.
// Sessions count as sessions, and the imported files of a point as its repeats.
constexpr std::string_view k_version_15 = R"sql(
ALTER TABLE run ADD COLUMN runners TEXT;                -- JSON object: runner -> SHA-256 of its manifest and parts; NULL: not recorded
UPDATE point_result SET serve_repeats = (SELECT count(DISTINCT CASE
    WHEN m.session_id IS NOT NULL THEN m.session_id
    WHEN r.runner = 'import' THEN -2 * m.stage_id ELSE -2 * r.id - 1 END)
  FROM result_measurement rm JOIN measurement m ON m.id = rm.measurement_id
    JOIN attempt a ON a.id = m.attempt_id JOIN run r ON r.id = a.run_id
  WHERE rm.result_id = point_result.id);
INSERT OR IGNORE INTO result_to_derive (experiment, point)
  SELECT r.experiment, p.name FROM point p JOIN run r ON r.id = p.run_id
  WHERE r.runner = 'import' GROUP BY 1, 2 HAVING count(DISTINCT r.id) > 1;
)sql";

}  // namespace

std::span<const Migration> migrations() {
  static const Migration k_steps[] = {
      {1, k_version_1},         {2, k_version_2},          {3, k_version_3},
      {4, k_version_4},         {5, k_version_5},          {6, k_version_6},
      {7, k_version_7},         {8, k_version_8},          {9, derived_tables_migration()},
      {10, scores_migration()}, {11, sharing_migration()}, {12, node_migration()},
      {13, k_version_13},       {14, k_version_14},        {15, k_version_15},
  };
  return k_steps;
}

}  // namespace orch::tables
