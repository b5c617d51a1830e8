-- A store of schema 1 with real content: two runs that ended, one that died. Made by the program that released it; never edited.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,           -- over the facts
  facts TEXT NOT NULL                    -- JSON object
) STRICT;
INSERT INTO machine VALUES(1,'7dc9dd71d87c278aeaca8f5f74b4754a280af2873ff08c2d54ef4d6d619724ee','{"cpu_model":"Sample CPU","host":"here"}');
CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,              -- the same wherever its records go
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
  outcome TEXT,                          -- NULL while it runs; done, failed, interrupted, error, died
  CHECK (outcome IN ('done', 'failed', 'interrupted', 'error', 'died'))
) STRICT;
INSERT INTO run VALUES(1,'01c5b664e63bb6bb2441269efd07d8f2','quick','sample','quick.yaml',replace('name: quick\n','\n',char(10)),'["orchestrate","run","quick.yaml"]','0.1.0',1,4711,1700000000.0,1700000170.0,'done');
INSERT INTO run VALUES(2,'99451b66a50758a3b414adbd3c6ed47b','other','sample','quick.yaml',replace('name: quick\n','\n',char(10)),'["orchestrate","run","quick.yaml"]','0.1.0',1,4711,1700000000.0,1700001060.0,'failed');
INSERT INTO run VALUES(3,'4d44ae23f54479f6b257e46905d95352','quick','sample','quick.yaml',replace('name: quick\n','\n',char(10)),'["orchestrate","run","quick.yaml"]','0.1.0',1,4711,1700000000.0,NULL,NULL);
CREATE TABLE stage (                     -- one row per digest: what would be made, whoever asks
  id INTEGER PRIMARY KEY,
  digest TEXT UNIQUE,                    -- NULL: a fact was missing
  name TEXT NOT NULL,                    -- in the manifest
  kind TEXT NOT NULL,
  parameters TEXT NOT NULL,              -- JSON object
  components TEXT NOT NULL,              -- JSON array of [name, value]: what the digest is over
  argv TEXT NOT NULL,                    -- JSON array, symbolic
  env TEXT NOT NULL,                     -- JSON object, symbolic
  rendered TEXT NOT NULL,                -- JSON object: path -> text, symbolic
  repeat INTEGER NOT NULL
) STRICT;
INSERT INTO stage VALUES(1,'10bf6fb1e3d98ad053bc43dc1c43e5e7940c46ca617fb58688559a53d2a6c396','build','task','{"model":"tiny"}','[["stage","build"],["model","tiny"],["repeat","0"]]','["/usr/bin/build","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(2,'6174627414227be8d1eb41d480bce57b122c3b3df322511276e10522b4f20b0e','serve','service','{"batch_size":8}','[["stage","serve"],["batch_size","8"],["needs build","build-10bf6fb1"],["repeat","0"]]','["/usr/bin/serve","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(3,'5d145f5b3b4284a8807d6f166c827791e7ea3cd4564c6ff10df311cbfccfeeb4','bench','measure','{"concurrency":1}','[["stage","bench"],["concurrency","1"],["needs serve","serve-61746274"],["repeat","0"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(4,'e25e69ec1bf8f6e1cb72289a5f98018e6aa33e73721e62b9568da9d6a7ec5e45','bench','measure','{"concurrency":1}','[["stage","bench"],["concurrency","1"],["needs serve","serve-61746274"],["repeat","1"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',1);
INSERT INTO stage VALUES(5,'b218b139b78468b023604551941d2dafcb0ddc7baae0d218e90f8bbe94021b77','bench','measure','{"concurrency":4}','[["stage","bench"],["concurrency","4"],["needs serve","serve-61746274"],["repeat","0"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(6,'cf7c5e75425dfc5af8d56ceeb42631a4f673806a2039bba2b3f809acf19bb788','bench','measure','{"concurrency":4}','[["stage","bench"],["concurrency","4"],["needs serve","serve-61746274"],["repeat","1"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',1);
INSERT INTO stage VALUES(7,NULL,'bench','measure','{"concurrency":4}','[["stage","bench"],["concurrency","4"],["needs serve","serve-61746274"],["repeat","0"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(8,'8ed9d2869d51384074b811761d202f29edab4bd477236e54097b0befaa22b1ef','bench','measure','{"concurrency":16}','[["stage","bench"],["concurrency","16"],["needs serve","serve-61746274"],["repeat","0"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',0);
INSERT INTO stage VALUES(9,'ed9188c6df45fa54ab41ddbc43b7b6a0a0145b635efff3c19596526238eeb176','bench','measure','{"concurrency":8}','[["stage","bench"],["concurrency","8"],["needs serve","serve-61746274"],["repeat","0"]]','["/usr/bin/bench","--out","{out}"]','{}','{}',0);
CREATE TABLE stage_need (
  stage_id INTEGER NOT NULL REFERENCES stage,
  name TEXT NOT NULL,                    -- in the manifest
  needs_id INTEGER NOT NULL REFERENCES stage,
  PRIMARY KEY (stage_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO stage_need VALUES(2,'build',1);
INSERT INTO stage_need VALUES(3,'serve',2);
INSERT INTO stage_need VALUES(4,'serve',2);
INSERT INTO stage_need VALUES(5,'serve',2);
INSERT INTO stage_need VALUES(6,'serve',2);
INSERT INTO stage_need VALUES(7,'serve',2);
INSERT INTO stage_need VALUES(8,'serve',2);
INSERT INTO stage_need VALUES(9,'serve',2);
CREATE TABLE run_stage (                 -- a stage in the plan of one run, and its state there
  run_id INTEGER NOT NULL REFERENCES run,
  stage_id INTEGER NOT NULL REFERENCES stage,
  plan_id TEXT NOT NULL,                 -- "build-1a2b3c4d"
  planned TEXT NOT NULL,                 -- run, reuse, reject, undecided, idle
  planned_why TEXT NOT NULL,
  state TEXT NOT NULL,                   -- the scheduler's, or what was planned where that is not run or reuse
  state_why TEXT NOT NULL,
  changed_at REAL NOT NULL,
  PRIMARY KEY (run_id, plan_id)
) STRICT, WITHOUT ROWID;
INSERT INTO run_stage VALUES(1,3,'bench-5d145f5b','run','nothing on record','done','',1700000120.0);
INSERT INTO run_stage VALUES(1,5,'bench-b218b139','run','nothing on record','done','',1700000120.0);
INSERT INTO run_stage VALUES(1,6,'bench-cf7c5e75','run','nothing on record','done','',1700000130.0);
INSERT INTO run_stage VALUES(1,4,'bench-e25e69ec','run','nothing on record','done','',1700000120.0);
INSERT INTO run_stage VALUES(1,1,'build-10bf6fb1','run','nothing on record','done','',1700000120.0);
INSERT INTO run_stage VALUES(1,2,'serve-61746274','run','nothing on record','done','',1700000130.0);
INSERT INTO run_stage VALUES(2,8,'bench-8ed9d286','run','nothing on record','skipped','serve failed',1700001030.0);
INSERT INTO run_stage VALUES(2,7,'bench-b218b139','run','nothing on record','planned','',1700001006.0);
INSERT INTO run_stage VALUES(2,1,'build-10bf6fb1','run','nothing on record','done','',1700001020.0);
INSERT INTO run_stage VALUES(2,2,'serve-61746274','run','nothing on record','failed',replace('CUDA out of memory\nin layer 3','\n',char(10)),1700001020.0);
INSERT INTO run_stage VALUES(3,3,'bench-5d145f5b','run','nothing on record','planned','',1700000000.0);
INSERT INTO run_stage VALUES(3,9,'bench-ed9188c6','run','nothing on record','running','',1700002001.0);
INSERT INTO run_stage VALUES(3,1,'build-10bf6fb1','run','nothing on record','planned','',1700000000.0);
INSERT INTO run_stage VALUES(3,2,'serve-61746274','run','nothing on record','running','',1700002001.0);
CREATE TABLE point (                     -- a point as one run asked for it
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  why TEXT NOT NULL,
  parameters TEXT NOT NULL,              -- JSON object
  UNIQUE (run_id, name)
) STRICT;
INSERT INTO point VALUES(1,1,'tiny_c1-aaaaaa','run','','{"batch_size":8,"concurrency":1,"model":"tiny"}');
INSERT INTO point VALUES(2,1,'tiny_c4-aaaaaa','run','','{"batch_size":8,"concurrency":4,"model":"tiny"}');
INSERT INTO point VALUES(3,2,'tiny_c4-aaaaaa','run','','{"batch_size":8,"concurrency":4,"model":"tiny","note":"it''s"}');
INSERT INTO point VALUES(4,2,'tiny_c16-aaaaaa','run','','{"batch_size":8,"concurrency":16,"model":"tiny","note":"it''s"}');
INSERT INTO point VALUES(5,3,'tiny_c1-aaaaaa','run','','{"batch_size":8,"concurrency":1,"model":"tiny"}');
INSERT INTO point VALUES(6,3,'tiny_c8-aaaaaa','run','','{"batch_size":8,"concurrency":8,"model":"tiny"}');
CREATE TABLE point_stage (
  point_id INTEGER NOT NULL REFERENCES point,
  stage_id INTEGER NOT NULL REFERENCES stage,
  place INTEGER NOT NULL,                -- in the order of the manifest
  PRIMARY KEY (point_id, stage_id)
) STRICT, WITHOUT ROWID;
INSERT INTO point_stage VALUES(1,1,0);
INSERT INTO point_stage VALUES(1,2,1);
INSERT INTO point_stage VALUES(1,3,2);
INSERT INTO point_stage VALUES(1,4,3);
INSERT INTO point_stage VALUES(2,1,0);
INSERT INTO point_stage VALUES(2,2,1);
INSERT INTO point_stage VALUES(2,5,2);
INSERT INTO point_stage VALUES(2,6,3);
INSERT INTO point_stage VALUES(3,1,0);
INSERT INTO point_stage VALUES(3,2,1);
INSERT INTO point_stage VALUES(3,7,2);
INSERT INTO point_stage VALUES(4,1,0);
INSERT INTO point_stage VALUES(4,2,1);
INSERT INTO point_stage VALUES(4,8,2);
INSERT INTO point_stage VALUES(5,1,0);
INSERT INTO point_stage VALUES(5,2,1);
INSERT INTO point_stage VALUES(5,3,2);
INSERT INTO point_stage VALUES(6,1,0);
INSERT INTO point_stage VALUES(6,2,1);
INSERT INTO point_stage VALUES(6,9,2);
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
  ok INTEGER,                            -- NULL until it ended
  exit_code INTEGER,                     -- NULL when a signal ended it
  signal INTEGER,
  failure_class TEXT,
  message TEXT,
  wall_s REAL,
  cpu_s REAL,
  max_rss_bytes INTEGER,
  UNIQUE (stage_id, number)
) STRICT;
INSERT INTO attempt VALUES(1,1,1,1,'build-10bf6fb1-1','["/usr/bin/build","--go"]','{"K":"v"}','/tmp/work','logs/build-10bf6fb1.log','{"http":8000}',NULL,1700000000.0,4242,77,1700000001.0,1700000020.0,0,1,NULL,'network',replace('the hub did not answer\nlast line','\n',char(10)),12.5,10.0,1048576);
INSERT INTO attempt VALUES(2,1,1,2,'build-10bf6fb1-2','["/usr/bin/build","--go"]','{"K":"v"}','/tmp/work','logs/build-10bf6fb1.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000120.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(3,1,2,1,'serve-61746274-1','["/usr/bin/serve","--go"]','{"K":"v"}','/tmp/work','logs/serve-61746274.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000130.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(4,1,3,1,'bench-5d145f5b-1','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-5d145f5b.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000120.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(5,1,4,1,'bench-e25e69ec-1','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-e25e69ec.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000120.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(6,1,5,1,'bench-b218b139-1','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-b218b139.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000120.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(7,1,6,1,'bench-cf7c5e75-1','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-cf7c5e75.log','{"http":8000}',NULL,1700000100.0,4242,77,1700000101.0,1700000120.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(8,1,6,2,'bench-cf7c5e75-2','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-cf7c5e75.log','{"http":8000}',NULL,1700000110.0,4242,77,1700000111.0,1700000130.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(9,2,1,3,'build-10bf6fb1-3','["/usr/bin/build","--go"]','{"K":"v"}','/tmp/work','logs/build-10bf6fb1.log','{"http":8000}',NULL,1700001000.0,4242,77,1700001001.0,1700001020.0,1,0,NULL,NULL,'',12.5,10.0,1048576);
INSERT INTO attempt VALUES(10,2,2,2,'serve-61746274-2','["/usr/bin/serve","--go"]','{"K":"v"}','/tmp/work','logs/serve-61746274.log','{"http":8000}',NULL,1700001000.0,4242,77,1700001001.0,1700001020.0,0,1,NULL,'cuda_oom',replace('CUDA out of memory\nin layer 3','\n',char(10)),12.5,10.0,1048576);
INSERT INTO attempt VALUES(11,3,2,3,'serve-61746274-3','["/usr/bin/serve","--go"]','{"K":"v"}','/tmp/work','logs/serve-61746274.log','{"http":8000}',NULL,1700002000.0,4242,77,1700002001.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(12,3,9,1,'bench-ed9188c6-1','["/usr/bin/bench","--go"]','{"K":"v"}','/tmp/work','logs/bench-ed9188c6.log','{"http":8000}',NULL,1700002000.0,4242,77,1700002001.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE artifact (
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
  stage_id INTEGER NOT NULL REFERENCES stage,
  path TEXT NOT NULL,                    -- folder under the store
  in_place INTEGER NOT NULL,
  absolute_path TEXT NOT NULL,           -- where it was made; binding only for in_place
  digest TEXT NOT NULL,                  -- over paths and contents of its files
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  published_at REAL NOT NULL,
  removed_at REAL
) STRICT;
INSERT INTO artifact VALUES(1,2,1,'artifacts/build-10bf6fb1',0,'/results/artifacts/build-10bf6fb1','7567d19c081b34fdedcb46c2fa34e8e3687df5d1d80699217c5d41e0470aa75a',1,1073741824,1700000119.0,NULL);
INSERT INTO artifact VALUES(2,9,1,'artifacts/env',1,'/results/artifacts/env','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',0,0,1700001005.0,NULL);
CREATE TABLE artifact_file (
  artifact_id INTEGER NOT NULL REFERENCES artifact,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (artifact_id, path)
) STRICT, WITHOUT ROWID;
INSERT INTO artifact_file VALUES(1,'model.bin',1073741824,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
CREATE TABLE resolution (                -- what a moving name meant when it was looked up
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  resolved_at REAL NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO resolution VALUES('hf-revision','Qwen/X@main','0123abcd',1699999000.0);
CREATE TABLE file_identity (             -- a file's content, remembered by what stat(2) says
  path TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO file_identity VALUES('/models/a.bin',5,10,11,12,'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73');
CREATE TABLE service_session (
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL UNIQUE REFERENCES attempt,
  ready_at REAL,
  start_s REAL
) STRICT;
INSERT INTO service_session VALUES(1,3,1700000104.0,3.25);
INSERT INTO service_session VALUES(2,11,1700002004.0,3.25);
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
  superseded INTEGER NOT NULL DEFAULT 0, -- its attempt was no longer current: shown in no view
  measured_at REAL NOT NULL,
  UNIQUE (attempt_id, ordinal)
) STRICT;
INSERT INTO measurement VALUES(1,4,0,3,1,1,1,'','','ttft_ms_p999','{"concurrency":1}','{"osl":"events (one token each)"}','{}',1700000100000000000,2.5,'artifacts/bench-5d145f5b-1/out','a81eff36c4e00e8fca455c34a12de0dad706c4a1665b8a7a0c2d0af63948d260',1,0,1700000121.0);
INSERT INTO measurement VALUES(2,5,0,4,1,2,1,'','','ttft_ms_p999','{"concurrency":1}','{"osl":"events (one token each)"}','{}',1700000100000000000,2.5,'artifacts/bench-e25e69ec-1/out','96528f810461328af86a57e97a58f2737ee24a4c2fdb7fa5c84b29c1d56473c2',1,0,1700000121.0);
INSERT INTO measurement VALUES(3,6,0,5,1,3,1,'','','ttft_ms_p999','{"concurrency":1}','{"osl":"events (one token each)"}','{}',1700000100000000000,2.5,'artifacts/bench-b218b139-1/out','e460a5065008a8ffacb89f7f6f2175b6b9eca370e3b1fe2db77ab485133d1693',1,0,1700000121.0);
INSERT INTO measurement VALUES(4,7,0,6,1,4,0,'the client was busy; too short','','ttft_ms_p999','{"concurrency":1}','{"osl":"events (one token each)"}','{}',1700000100000000000,2.5,'artifacts/bench-cf7c5e75-1/out','cb33ca01a7777933574826d965d7268ea702027bd2e61ed6fe50cd9b3eaba6a6',1,0,1700000121.0);
INSERT INTO measurement VALUES(5,8,0,6,1,4,1,'','','ttft_ms_p999','{"concurrency":1}','{"osl":"events (one token each)"}','{}',1700000100000000000,2.5,'artifacts/bench-cf7c5e75-2/out','d88885779ba142e7063823d9b3904ddfccd9db96451797b6bbe54e4abd024903',1,0,1700000131.0);
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
INSERT INTO metric VALUES(1,'build_s',12.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(1,'engine_gib',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(1,'output_tps',100.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(1,'server_start_s',3.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(1,'ttft_ms',10.0,0.5,9.0,12.0,NULL,NULL,NULL,11.499999999999999999,NULL,2,NULL,NULL);
INSERT INTO metric VALUES(2,'build_s',12.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(2,'engine_gib',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(2,'output_tps',100.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(2,'server_start_s',3.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(2,'ttft_ms',11.0,0.5,10.0,13.0,NULL,NULL,NULL,12.5,NULL,2,NULL,NULL);
INSERT INTO metric VALUES(3,'build_s',12.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(3,'engine_gib',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(3,'output_tps',100.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(3,'server_start_s',3.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(3,'ttft_ms',12.0,0.5,11.0,14.0,NULL,NULL,NULL,13.5,NULL,2,NULL,NULL);
INSERT INTO metric VALUES(4,'build_s',12.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(4,'engine_gib',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(4,'output_tps',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(4,'server_start_s',3.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(4,'ttft_ms',99.0,0.5,98.0,101.0,NULL,NULL,NULL,100.49999999999999999,NULL,2,NULL,NULL);
INSERT INTO metric VALUES(5,'build_s',12.5,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(5,'engine_gib',1.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(5,'output_tps',100.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(5,'server_start_s',3.25,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO metric VALUES(5,'ttft_ms',13.0,0.5,12.0,15.0,NULL,NULL,NULL,14.5,NULL,2,NULL,NULL);
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
INSERT INTO request VALUES(1,1,0,1,0,NULL,-9000000,-5000000,-1000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'80897a80897a');
INSERT INTO request VALUES(1,2,0,0,0,NULL,0,7000000,11000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'c0843dc08db701');
INSERT INTO request VALUES(2,1,0,1,0,NULL,-9000000,-5000000,-1000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'80897a80897a');
INSERT INTO request VALUES(2,2,0,0,0,NULL,0,7000000,11000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'c0843dc08db701');
INSERT INTO request VALUES(3,1,0,1,0,NULL,-9000000,-5000000,-1000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'80897a80897a');
INSERT INTO request VALUES(3,2,0,0,0,NULL,0,7000000,11000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'c0843dc08db701');
INSERT INTO request VALUES(4,1,0,1,0,NULL,-9000000,-5000000,-1000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'80897a80897a');
INSERT INTO request VALUES(4,2,0,0,0,NULL,0,7000000,11000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'c0843dc08db701');
INSERT INTO request VALUES(5,1,0,1,0,NULL,-9000000,-5000000,-1000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'80897a80897a');
INSERT INTO request VALUES(5,2,0,0,0,NULL,0,7000000,11000000,NULL,32,NULL,3,3,NULL,NULL,200,NULL,X'c0843dc08db701');
CREATE TABLE answer (
  measurement_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (measurement_id, line),
  FOREIGN KEY (measurement_id, line) REFERENCES request
) STRICT, WITHOUT ROWID;
INSERT INTO answer VALUES(1,1,'warm');
INSERT INTO answer VALUES(1,2,'it is, "so"');
INSERT INTO answer VALUES(2,1,'warm');
INSERT INTO answer VALUES(2,2,'it is, "so"');
INSERT INTO answer VALUES(3,1,'warm');
INSERT INTO answer VALUES(3,2,'it is, "so"');
INSERT INTO answer VALUES(4,1,'warm');
INSERT INTO answer VALUES(4,2,'it is, "so"');
INSERT INTO answer VALUES(5,1,'warm');
INSERT INTO answer VALUES(5,2,'it is, "so"');
CREATE TABLE server_counter (
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  name TEXT NOT NULL,                    -- with its labels
  before REAL,
  after REAL,
  PRIMARY KEY (measurement_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO server_counter VALUES(1,'nv_requests{model="m"}',3.0,5.0);
INSERT INTO server_counter VALUES(2,'nv_requests{model="m"}',3.0,5.0);
INSERT INTO server_counter VALUES(3,'nv_requests{model="m"}',3.0,5.0);
INSERT INTO server_counter VALUES(4,'nv_requests{model="m"}',3.0,5.0);
INSERT INTO server_counter VALUES(5,'nv_requests{model="m"}',3.0,5.0);
CREATE TABLE event (                     -- what happened, in order; never read to decide
  run_id INTEGER NOT NULL REFERENCES run,
  sequence INTEGER NOT NULL,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  stage TEXT NOT NULL,
  attempt INTEGER,
  detail TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO event VALUES(1,1,1700000000.0,'moved','build-10bf6fb1',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,2,1700000000.0,'intended','build-10bf6fb1',1,'{}');
INSERT INTO event VALUES(1,3,1700000001.0,'spawned','build-10bf6fb1',1,'{"pid":4242}');
INSERT INTO event VALUES(1,4,1700000001.0,'moved','build-10bf6fb1',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,5,1700000020.0,'ended','build-10bf6fb1',1,'{"class":"network","ok":false}');
INSERT INTO event VALUES(1,6,1700000020.0,'moved','build-10bf6fb1',NULL,'{"from":"running","to":"failed","why":"the hub did not answer\nlast line"}');
INSERT INTO event VALUES(1,7,1700000100.0,'moved','build-10bf6fb1',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,8,1700000100.0,'intended','build-10bf6fb1',2,'{}');
INSERT INTO event VALUES(1,9,1700000101.0,'spawned','build-10bf6fb1',2,'{"pid":4242}');
INSERT INTO event VALUES(1,10,1700000101.0,'moved','build-10bf6fb1',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,11,1700000119.0,'published','build-10bf6fb1',2,'{"path":"artifacts/build-10bf6fb1"}');
INSERT INTO event VALUES(1,12,1700000120.0,'ended','build-10bf6fb1',2,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,13,1700000120.0,'moved','build-10bf6fb1',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,14,1700000100.0,'moved','serve-61746274',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,15,1700000100.0,'intended','serve-61746274',1,'{}');
INSERT INTO event VALUES(1,16,1700000101.0,'spawned','serve-61746274',1,'{"pid":4242}');
INSERT INTO event VALUES(1,17,1700000101.0,'moved','serve-61746274',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,18,1700000104.0,'ready','serve-61746274',1,'{"start_s":3.25}');
INSERT INTO event VALUES(1,19,1700000100.0,'moved','bench-5d145f5b',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,20,1700000100.0,'intended','bench-5d145f5b',1,'{}');
INSERT INTO event VALUES(1,21,1700000101.0,'spawned','bench-5d145f5b',1,'{"pid":4242}');
INSERT INTO event VALUES(1,22,1700000101.0,'moved','bench-5d145f5b',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,23,1700000120.0,'ended','bench-5d145f5b',1,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,24,1700000120.0,'moved','bench-5d145f5b',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,25,1700000121.0,'measured','bench-5d145f5b',1,'{"path":"artifacts/bench-5d145f5b-1/out"}');
INSERT INTO event VALUES(1,26,1700000100.0,'moved','bench-e25e69ec',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,27,1700000100.0,'intended','bench-e25e69ec',1,'{}');
INSERT INTO event VALUES(1,28,1700000101.0,'spawned','bench-e25e69ec',1,'{"pid":4242}');
INSERT INTO event VALUES(1,29,1700000101.0,'moved','bench-e25e69ec',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,30,1700000120.0,'ended','bench-e25e69ec',1,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,31,1700000120.0,'moved','bench-e25e69ec',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,32,1700000121.0,'measured','bench-e25e69ec',1,'{"path":"artifacts/bench-e25e69ec-1/out"}');
INSERT INTO event VALUES(1,33,1700000100.0,'moved','bench-b218b139',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,34,1700000100.0,'intended','bench-b218b139',1,'{}');
INSERT INTO event VALUES(1,35,1700000101.0,'spawned','bench-b218b139',1,'{"pid":4242}');
INSERT INTO event VALUES(1,36,1700000101.0,'moved','bench-b218b139',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,37,1700000120.0,'ended','bench-b218b139',1,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,38,1700000120.0,'moved','bench-b218b139',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,39,1700000121.0,'measured','bench-b218b139',1,'{"path":"artifacts/bench-b218b139-1/out"}');
INSERT INTO event VALUES(1,40,1700000100.0,'moved','bench-cf7c5e75',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,41,1700000100.0,'intended','bench-cf7c5e75',1,'{}');
INSERT INTO event VALUES(1,42,1700000101.0,'spawned','bench-cf7c5e75',1,'{"pid":4242}');
INSERT INTO event VALUES(1,43,1700000101.0,'moved','bench-cf7c5e75',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,44,1700000120.0,'ended','bench-cf7c5e75',1,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,45,1700000120.0,'moved','bench-cf7c5e75',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,46,1700000121.0,'measured','bench-cf7c5e75',1,'{"path":"artifacts/bench-cf7c5e75-1/out"}');
INSERT INTO event VALUES(1,47,1700000110.0,'moved','bench-cf7c5e75',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(1,48,1700000110.0,'intended','bench-cf7c5e75',2,'{}');
INSERT INTO event VALUES(1,49,1700000111.0,'spawned','bench-cf7c5e75',2,'{"pid":4242}');
INSERT INTO event VALUES(1,50,1700000111.0,'moved','bench-cf7c5e75',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(1,51,1700000130.0,'ended','bench-cf7c5e75',2,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,52,1700000130.0,'moved','bench-cf7c5e75',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(1,53,1700000131.0,'measured','bench-cf7c5e75',2,'{"path":"artifacts/bench-cf7c5e75-2/out"}');
INSERT INTO event VALUES(1,54,1700000130.0,'ended','serve-61746274',1,'{"class":"","ok":true}');
INSERT INTO event VALUES(1,55,1700000130.0,'moved','serve-61746274',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(2,1,1700001000.0,'moved','build-10bf6fb1',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(2,2,1700001000.0,'intended','build-10bf6fb1',3,'{}');
INSERT INTO event VALUES(2,3,1700001001.0,'spawned','build-10bf6fb1',3,'{"pid":4242}');
INSERT INTO event VALUES(2,4,1700001001.0,'moved','build-10bf6fb1',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(2,5,1700001005.0,'published','build-10bf6fb1',3,'{"path":"artifacts/env"}');
INSERT INTO event VALUES(2,6,1700001020.0,'ended','build-10bf6fb1',3,'{"class":"","ok":true}');
INSERT INTO event VALUES(2,7,1700001020.0,'moved','build-10bf6fb1',NULL,'{"from":"running","to":"done","why":""}');
INSERT INTO event VALUES(2,8,1700001000.0,'moved','serve-61746274',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(2,9,1700001000.0,'intended','serve-61746274',2,'{}');
INSERT INTO event VALUES(2,10,1700001001.0,'spawned','serve-61746274',2,'{"pid":4242}');
INSERT INTO event VALUES(2,11,1700001001.0,'moved','serve-61746274',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(2,12,1700001020.0,'ended','serve-61746274',2,'{"class":"cuda_oom","ok":false}');
INSERT INTO event VALUES(2,13,1700001020.0,'moved','serve-61746274',NULL,'{"from":"running","to":"failed","why":"CUDA out of memory\nin layer 3"}');
INSERT INTO event VALUES(2,14,1700001030.0,'moved','bench-8ed9d286',NULL,'{"from":"planned","to":"skipped","why":"serve failed"}');
INSERT INTO event VALUES(3,1,1700002000.0,'moved','serve-61746274',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(3,2,1700002000.0,'intended','serve-61746274',3,'{}');
INSERT INTO event VALUES(3,3,1700002001.0,'spawned','serve-61746274',3,'{"pid":4242}');
INSERT INTO event VALUES(3,4,1700002001.0,'moved','serve-61746274',NULL,'{"from":"intent","to":"running","why":""}');
INSERT INTO event VALUES(3,5,1700002004.0,'ready','serve-61746274',3,'{"start_s":3.25}');
INSERT INTO event VALUES(3,6,1700002000.0,'moved','bench-ed9188c6',NULL,'{"from":"planned","to":"intent","why":""}');
INSERT INTO event VALUES(3,7,1700002000.0,'intended','bench-ed9188c6',1,'{}');
INSERT INTO event VALUES(3,8,1700002001.0,'spawned','bench-ed9188c6',1,'{"pid":4242}');
INSERT INTO event VALUES(3,9,1700002001.0,'moved','bench-ed9188c6',NULL,'{"from":"intent","to":"running","why":""}');
CREATE TABLE wide_column (
  name TEXT PRIMARY KEY,
  parameter INTEGER NOT NULL,            -- 1: of point_wide; 0: of metric_wide
  metric TEXT,
  statistic TEXT                         -- '' for the mean or the value
) STRICT;
INSERT INTO wide_column VALUES('batch_size',1,'','');
INSERT INTO wide_column VALUES('concurrency',1,'','');
INSERT INTO wide_column VALUES('model',1,'','');
INSERT INTO wide_column VALUES('output_tps',0,'output_tps','');
INSERT INTO wide_column VALUES('ttft_ms',0,'ttft_ms','');
INSERT INTO wide_column VALUES('ttft_ms_sd',0,'ttft_ms','sd');
INSERT INTO wide_column VALUES('ttft_ms_min',0,'ttft_ms','min');
INSERT INTO wide_column VALUES('ttft_ms_max',0,'ttft_ms','max');
INSERT INTO wide_column VALUES('ttft_ms_p99',0,'ttft_ms','p99');
INSERT INTO wide_column VALUES('ttft_ms_n',0,'ttft_ms','n');
INSERT INTO wide_column VALUES('server_start_s',0,'server_start_s','');
INSERT INTO wide_column VALUES('build_s',0,'build_s','');
INSERT INTO wide_column VALUES('engine_gib',0,'engine_gib','');
INSERT INTO wide_column VALUES('note',1,'','');
CREATE TABLE point_wide (point_id INTEGER PRIMARY KEY REFERENCES point, "batch_size" ANY, "concurrency" ANY, "model" ANY, "note" ANY) STRICT;
INSERT INTO point_wide VALUES(1,8,1,'tiny',NULL);
INSERT INTO point_wide VALUES(2,8,4,'tiny',NULL);
INSERT INTO point_wide VALUES(3,8,4,'tiny','it''s');
INSERT INTO point_wide VALUES(4,8,16,'tiny','it''s');
INSERT INTO point_wide VALUES(5,8,1,'tiny',NULL);
INSERT INTO point_wide VALUES(6,8,8,'tiny',NULL);
CREATE TABLE metric_wide (measurement_id INTEGER PRIMARY KEY REFERENCES measurement, "output_tps" ANY, "ttft_ms" ANY, "ttft_ms_sd" ANY, "ttft_ms_min" ANY, "ttft_ms_max" ANY, "ttft_ms_p99" ANY, "ttft_ms_n" ANY, "server_start_s" ANY, "build_s" ANY, "engine_gib" ANY) STRICT;
INSERT INTO metric_wide VALUES(1,100.0,10.0,0.5,9.0,12.0,11.499999999999999999,2,3.25,12.5,1.0);
INSERT INTO metric_wide VALUES(2,100.0,11.0,0.5,10.0,13.0,12.5,2,3.25,12.5,1.0);
INSERT INTO metric_wide VALUES(3,100.0,12.0,0.5,11.0,14.0,13.5,2,3.25,12.5,1.0);
INSERT INTO metric_wide VALUES(4,1.0,99.0,0.5,98.0,101.0,100.49999999999999999,2,3.25,12.5,1.0);
INSERT INTO metric_wide VALUES(5,100.0,13.0,0.5,12.0,15.0,14.5,2,3.25,12.5,1.0);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('run',3);
INSERT INTO sqlite_sequence VALUES('measurement',5);
CREATE INDEX stage_by_name ON stage(name);
CREATE INDEX run_stage_by_stage ON run_stage(stage_id);
CREATE INDEX point_by_name ON point(name);
CREATE INDEX point_stage_by_stage ON point_stage(stage_id);
CREATE INDEX attempt_by_run ON attempt(run_id);
CREATE INDEX artifact_by_stage ON artifact(stage_id);
CREATE INDEX measurement_by_stage ON measurement(stage_id, ordinal, valid, superseded);
CREATE VIEW measurement_point AS SELECT measurement, experiment, point, point_id, (SELECT run_id FROM point WHERE id = point_id) AS run
FROM (
  SELECT m.id AS measurement, r.experiment AS experiment, p.name AS point,
    coalesce(min(CASE WHEN p.run_id >= a.run_id THEN p.id END), max(p.id)) AS point_id
  FROM measurement m JOIN attempt a ON a.id = m.attempt_id
  JOIN point_stage ps ON ps.stage_id = m.stage_id JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE m.superseded = 0 AND p.status <> 'reject'
  GROUP BY m.id, r.experiment, p.name
);
CREATE VIEW failures AS SELECT r.experiment AS experiment, a.run_id AS run, rs.plan_id AS stage, s.kind AS kind, a.number AS attempt,
  CASE WHEN a.ok = 0 THEN a.failure_class ELSE 'invalid_measurement' END AS class,
  CASE WHEN a.ok = 0 THEN a.message ELSE m.reasons END AS message,
  rs.state = 'failed' AND a.number = (SELECT max(number) FROM attempt WHERE stage_id = a.stage_id AND run_id = a.run_id) AS final,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id AND p.run_id = a.run_id) AS points,
  a.exit_code AS exit_code, a.signal AS signal, a.log AS log,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_at, 'unixepoch') AS ended_at
FROM attempt a JOIN run r ON r.id = a.run_id JOIN stage s ON s.id = a.stage_id
JOIN run_stage rs ON rs.run_id = a.run_id AND rs.stage_id = a.stage_id
LEFT JOIN measurement m ON m.attempt_id = a.id AND m.valid = 0
WHERE (a.ok = 0 AND a.failure_class <> 'interrupted') OR m.id IS NOT NULL
UNION ALL
SELECT r.experiment, rs.run_id, rs.plan_id, s.kind, NULL, '', rs.state_why, 1,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id AND p.run_id = rs.run_id),
  NULL, NULL, NULL, strftime('%Y-%m-%dT%H:%M:%SZ', rs.changed_at, 'unixepoch')
FROM run_stage rs JOIN run r ON r.id = rs.run_id JOIN stage s ON s.id = rs.stage_id
WHERE rs.state = 'failed' AND NOT EXISTS (SELECT 1 FROM attempt WHERE stage_id = rs.stage_id AND run_id = rs.run_id);
CREATE VIEW stages AS SELECT r.experiment AS experiment, rs.run_id AS run, rs.plan_id AS stage, s.name AS name, s.kind AS kind, s.repeat AS repeat,
  rs.planned AS planned, rs.state AS state, CASE WHEN rs.state_why <> '' THEN rs.state_why ELSE rs.planned_why END AS why,
  (SELECT count(*) FROM attempt WHERE stage_id = s.id AND run_id = rs.run_id) AS attempts,
  (SELECT count(*) FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE ps.stage_id = s.id AND p.run_id = rs.run_id) AS points,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.spawned_at, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_at, 'unixepoch') AS ended_at,
  a.wall_s AS wall_s, a.cpu_s AS cpu_s, a.max_rss_bytes AS max_rss_bytes, a.exit_code AS exit_code, a.signal AS signal,
  a.failure_class AS class, f.path AS artifact, f.bytes AS artifact_bytes, a.log AS log, coalesce(a.argv, s.argv) AS command, s.digest AS digest
FROM run_stage rs JOIN run r ON r.id = rs.run_id JOIN stage s ON s.id = rs.stage_id
LEFT JOIN attempt a ON a.id = (SELECT id FROM attempt WHERE stage_id = s.id AND run_id = rs.run_id ORDER BY number DESC LIMIT 1)
LEFT JOIN artifact f ON f.id = (SELECT id FROM artifact WHERE stage_id = s.id AND removed_at IS NULL ORDER BY id DESC LIMIT 1);
CREATE VIEW provenance AS SELECT asked.experiment AS experiment, p.run_id AS run, p.name AS point, rs.plan_id AS stage, s.name AS name, s.kind AS kind,
  coalesce(a.argv, s.argv) AS command, coalesce(a.env, s.env) AS env, a.tool_version AS tool_version, s.digest AS digest,
  f.path AS artifact, f.digest AS artifact_digest, f.bytes AS artifact_bytes, f.files AS artifact_files,
  a.run_id AS made_by_run, a.number AS attempt, strftime('%Y-%m-%dT%H:%M:%SZ', a.spawned_at, 'unixepoch') AS started_at, a.wall_s AS wall_s,
  made.version AS orchestrate_version, h.facts AS machine
FROM (SELECT r.experiment AS experiment, max(p.id) AS point_id FROM point p JOIN run r ON r.id = p.run_id GROUP BY r.experiment, p.name) AS asked
JOIN point p ON p.id = asked.point_id
JOIN point_stage ps ON ps.point_id = p.id JOIN stage s ON s.id = ps.stage_id
JOIN run_stage rs ON rs.run_id = p.run_id AND rs.stage_id = s.id
LEFT JOIN attempt a ON a.id = coalesce(
  (SELECT m.attempt_id FROM measurement m WHERE m.stage_id = s.id AND m.valid = 1 AND m.superseded = 0 ORDER BY m.id DESC LIMIT 1),
  (SELECT ss.attempt_id FROM point_stage near JOIN measurement m ON m.stage_id = near.stage_id JOIN service_session ss ON ss.id = m.session_id
    JOIN attempt server ON server.id = ss.attempt_id
    WHERE near.point_id = p.id AND server.stage_id = s.id AND m.valid = 1 AND m.superseded = 0 ORDER BY m.id DESC LIMIT 1),
  (SELECT id FROM attempt WHERE stage_id = s.id ORDER BY coalesce(ok, 0) DESC, id DESC LIMIT 1))
LEFT JOIN artifact f ON f.attempt_id = a.id
LEFT JOIN run made ON made.id = a.run_id
LEFT JOIN machine h ON h.id = made.machine_id
ORDER BY p.id, ps.place;
CREATE VIEW requests AS SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point, q.measurement_id AS measurement, q.idx AS idx, q.warmup AS warmup,
  q.sent_ns / 1e9 AS sent_s, (q.first_ns - q.sent_ns) / 1e6 AS ttft_ms, (q.last_ns - q.sent_ns) / 1e6 AS request_latency_ms,
  CASE WHEN q.osl_counted > 1 THEN (q.last_ns - q.first_ns) / 1e6 / (q.osl_counted - 1) END AS itl_ms,
  q.isl AS isl_counted, q.isl_reported AS isl_reported, q.osl_requested AS osl_requested, q.osl_counted AS osl_counted, q.osl_reported AS osl_reported,
  (q.sent_ns - q.due_ns) / 1e6 AS send_lag_ms, (q.end_ns - q.sent_ns) / 1e6 AS end_ms, q.coalesced AS coalesced, q.status AS status, q.error AS error, q.block AS block
FROM request q JOIN measurement_point mp ON mp.measurement = q.measurement_id;
CREATE VIEW answers AS SELECT mp.experiment AS experiment, mp.run AS run, mp.point AS point, q.measurement_id AS measurement, q.idx AS idx, q.warmup AS warmup,
  t.text AS answer
FROM answer t JOIN request q ON q.measurement_id = t.measurement_id AND q.line = t.line
JOIN measurement_point mp ON mp.measurement = q.measurement_id;
CREATE VIEW results AS WITH newest AS (
  SELECT stage_id, ordinal, max(id) AS measurement_id FROM measurement WHERE valid = 1 AND superseded = 0 GROUP BY stage_id, ordinal
), asked AS (
  SELECT r.experiment AS experiment, max(p.id) AS point_id
  FROM newest JOIN point_stage ps ON ps.stage_id = newest.stage_id JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE p.status <> 'reject'
  GROUP BY r.experiment, p.name
)
SELECT asked.experiment AS "experiment",
  p.run_id AS "run",
  p.name AS "point",
  w."batch_size" AS "batch_size",
  w."concurrency" AS "concurrency",
  w."model" AS "model",
  w."note" AS "note",
  avg(v."ttft_ms") AS "ttft_ms",
  avg(v."output_tps") AS "output_tps",
  avg(v."server_start_s") AS "server_start_s",
  avg(v."build_s") AS "build_s",
  avg(v."engine_gib") AS "engine_gib",
  count(*) AS "repeats",
  avg(v."ttft_ms_sd") AS "ttft_ms_sd",
  min(v."ttft_ms_min") AS "ttft_ms_min",
  max(v."ttft_ms_max") AS "ttft_ms_max",
  avg(v."ttft_ms_p99") AS "ttft_ms_p99",
  sum(v."ttft_ms_n") AS "ttft_ms_n",
  coalesce(rtrim(replace(group_concat(DISTINCT nullif(m.unsupported, '') || char(31)), char(31) || ',', ' '), char(31)), '') AS "unsupported",
  coalesce(rtrim(replace(group_concat(DISTINCT nullif(m.warnings, '') || char(31)), char(31) || ',', '; '), char(31)), '') AS "warnings",
  max(a.run_id) AS "measured_run",
  strftime('%Y-%m-%dT%H:%M:%SZ', max(m.measured_at), 'unixepoch') AS "measured_at"
FROM asked
JOIN point p ON p.id = asked.point_id
JOIN point_wide w ON w.point_id = p.id
JOIN point_stage ps ON ps.point_id = p.id
JOIN newest ON newest.stage_id = ps.stage_id
JOIN measurement m ON m.id = newest.measurement_id
JOIN metric_wide v ON v.measurement_id = m.id
JOIN attempt a ON a.id = m.attempt_id
GROUP BY p.id, newest.ordinal;
CREATE VIEW results_all AS SELECT mp.experiment AS "experiment",
  mp.run AS "run",
  mp.point AS "point",
  m.valid AS "valid",
  m.reasons AS "reasons",
  w."batch_size" AS "batch_size",
  w."concurrency" AS "concurrency",
  w."model" AS "model",
  w."note" AS "note",
  s.repeat AS "repeat",
  a.number AS "attempt",
  v."ttft_ms" AS "ttft_ms",
  v."output_tps" AS "output_tps",
  v."server_start_s" AS "server_start_s",
  v."build_s" AS "build_s",
  v."engine_gib" AS "engine_gib",
  v."ttft_ms_sd" AS "ttft_ms_sd",
  v."ttft_ms_min" AS "ttft_ms_min",
  v."ttft_ms_max" AS "ttft_ms_max",
  v."ttft_ms_p99" AS "ttft_ms_p99",
  v."ttft_ms_n" AS "ttft_ms_n",
  m.unsupported AS "unsupported",
  m.warnings AS "warnings",
  m.session_order AS "session_order",
  a.run_id AS "measured_run",
  strftime('%Y-%m-%dT%H:%M:%SZ', m.measured_at, 'unixepoch') AS "measured_at",
  m.id AS "measurement"
FROM measurement_point mp
JOIN measurement m ON m.id = mp.measurement
JOIN stage s ON s.id = m.stage_id
JOIN attempt a ON a.id = m.attempt_id
JOIN point_wide w ON w.point_id = mp.point_id
JOIN metric_wide v ON v.measurement_id = m.id;
COMMIT;
PRAGMA application_id = 0x6f726368;
PRAGMA user_version = 1;
