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
