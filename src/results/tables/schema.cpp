#include "results/tables/schema.hpp"

#include "os/system/kill_point.hpp"

namespace orch::tables {

namespace {

Error wrong_file(const std::string& path, std::string_view why) {
  return invalid(fmt::format("{}: {}", path, why));
}

struct Identity {
  std::int64_t application, version, objects;
};

Result<Identity> identity(sql::Database& database) {
  ORCH_ASSIGN(const std::int64_t application, database.query_int("PRAGMA application_id"));
  ORCH_ASSIGN(const std::int64_t version, database.query_int("PRAGMA user_version"));
  ORCH_ASSIGN(const std::int64_t objects, database.query_int("SELECT count(*) FROM sqlite_schema"));
  return Identity{application, version, objects};
}

Status refuse_foreign(const Identity& file, const std::string& path, int newest) {
  if (file.application != k_application_id)
    return wrong_file(
        path, "is a database of another program; move it away or name another store with --store");
  if (file.version > newest)
    return wrong_file(
        path, fmt::format("has schema version {}, this program knows versions up to {}: use the "
                          "newer orchestrate that wrote it, or name another store with --store",
                          file.version, newest));
  return {};
}

}  // namespace

Status migrate(sql::Database& database, system::Files& files, const std::string& path,
               std::span<const Migration> steps, Backup backup) {
  ORCH_ASSIGN(const Identity file, identity(database));
  const bool fresh = file.objects == 0 && file.version == 0;
  const int newest = steps.back().version;
  if (!fresh) ORCH_TRY(refuse_foreign(file, path, newest));
  if (file.version == newest) return {};
  if (!fresh && backup == Backup::made) {
    const std::string copy = fmt::format("{}.version-{}", path, file.version);
    // Removes the backup of an earlier migration that failed. If that fails, VACUUM reports it.
    static_cast<void>(files.remove_tree(copy).ok());
    ORCH_TRY(database.execute("VACUUM INTO " + sql::quote_text(copy)));
    system::kill_point("migration-backup-made");
  }
  for (const Migration& step : steps) {
    if (step.version <= file.version) continue;
    ORCH_ASSIGN(auto transaction, sql::Transaction::begin(database));
    system::kill_point("migration-step-begun");
    if (auto status = database.execute(step.sql); !status.ok())
      return status.error().within(fmt::format(
          "{}: migrating to schema version {}; nothing was changed", path, step.version));
    ORCH_TRY(database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                          k_application_id, step.version)));
    system::kill_point("migration-step-done");
    ORCH_TRY(transaction.commit());
    system::kill_point("migration-committed");
  }
  return {};
}

Result<bool> is_older(sql::Database& database, const std::string& path) {
  ORCH_ASSIGN(const Identity file, identity(database));
  const int newest = migrations().back().version;
  // An empty database is left by a run that had no space for its first table.
  if (file.objects == 0 && file.application == 0)
    return not_found(fmt::format("{} is empty: no run has recorded anything in it", path));
  ORCH_TRY(refuse_foreign(file, path, newest));
  return file.version < newest;
}

// The data that `results`, `results_by_tool` and `results_all` join is kept in tables: an aggregate
// over all measurements takes seconds in a large store, and SQLite does not allow a view as many
// aggregate functions as there are statistics. The rows are derived from other tables and have no
// facts of their own. Triggers note which points must be derived again before the end of the
// transaction. Also adds the interval limits of percentiles: NULL if the requests do not bound
// them.
namespace {

constexpr std::string_view k_derived_tables = R"sql(
ALTER TABLE metric ADD COLUMN p50_interval_low REAL;
ALTER TABLE metric ADD COLUMN p50_interval_high REAL;
ALTER TABLE metric ADD COLUMN p90_interval_low REAL;
ALTER TABLE metric ADD COLUMN p90_interval_high REAL;
ALTER TABLE metric ADD COLUMN p95_interval_low REAL;
ALTER TABLE metric ADD COLUMN p95_interval_high REAL;
ALTER TABLE metric ADD COLUMN p99_interval_low REAL;
ALTER TABLE metric ADD COLUMN p99_interval_high REAL;
ALTER TABLE metric ADD COLUMN p999_interval_low REAL;
ALTER TABLE metric ADD COLUMN p999_interval_high REAL;

CREATE TABLE point_result (              -- a row of `results` or `results_by_tool`
  id INTEGER PRIMARY KEY,
  experiment TEXT NOT NULL,
  point TEXT NOT NULL,
  point_id INTEGER NOT NULL,             -- of the newest run that asked for it and has a measurement
  ordinal INTEGER NOT NULL,
  tool TEXT NOT NULL,
  native INTEGER NOT NULL,               -- 1: a row of `results`
  by_tool INTEGER NOT NULL,              -- 1: a row of `results_by_tool`
  repeats INTEGER NOT NULL,
  serve_repeats INTEGER NOT NULL,
  unsupported TEXT NOT NULL,             -- as the next, joined by ' '
  prefix_cache TEXT NOT NULL,
  runner_version TEXT,
  service TEXT NOT NULL,
  warnings TEXT NOT NULL,                -- joined by '; '
  measured_run INTEGER NOT NULL,
  measured_at REAL NOT NULL
) STRICT;
CREATE INDEX result_by_point ON point_result(experiment, point);
CREATE INDEX result_by_point_id ON point_result(point_id);
CREATE TABLE result_wide (result_id INTEGER PRIMARY KEY REFERENCES point_result) STRICT;
CREATE TABLE result_measurement (        -- what a result is the mean of
  result_id INTEGER NOT NULL REFERENCES point_result,
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  PRIMARY KEY (result_id, measurement_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_measurement_by_measurement ON result_measurement(measurement_id);

DROP VIEW IF EXISTS measurement_point;
CREATE TABLE measurement_point (         -- the experiments and points of a measurement
  measurement INTEGER NOT NULL REFERENCES measurement,
  experiment TEXT NOT NULL,
  point TEXT NOT NULL,
  run INTEGER NOT NULL,                  -- that measured, or was the first of the experiment to reuse it
  point_id INTEGER NOT NULL,             -- of that run
  newest_point_id INTEGER NOT NULL,      -- of the last run that asked for it
  PRIMARY KEY (measurement, experiment, point)
) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_point_by_point ON measurement_point(experiment, point);

CREATE INDEX attempt_failed ON attempt(run_id) WHERE ok = 0;
CREATE INDEX measurement_invalid ON measurement(attempt_id) WHERE valid = 0;
CREATE INDEX run_stage_failed ON run_stage(run_id, stage_id) WHERE state = 'failed';

CREATE TABLE result_to_derive (          -- points whose rows in these tables are outdated
  experiment TEXT NOT NULL,
  point TEXT NOT NULL,
  PRIMARY KEY (experiment, point)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER result_measured AFTER INSERT ON measurement BEGIN
  INSERT OR IGNORE INTO result_to_derive SELECT r.experiment, p.name FROM point_stage ps
    JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
    WHERE ps.stage_id = NEW.stage_id;
END;
CREATE TRIGGER result_judged AFTER UPDATE OF valid, superseded, warnings, tool, definition ON measurement BEGIN
  INSERT OR IGNORE INTO result_to_derive SELECT r.experiment, p.name FROM point_stage ps
    JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
    WHERE ps.stage_id = NEW.stage_id;
END;
CREATE TRIGGER result_forgotten BEFORE DELETE ON measurement BEGIN
  INSERT OR IGNORE INTO result_to_derive
    SELECT experiment, point FROM measurement_point WHERE measurement = OLD.id;
  DELETE FROM measurement_point WHERE measurement = OLD.id;
  DELETE FROM result_measurement WHERE measurement_id = OLD.id;
END;
CREATE TRIGGER result_asked AFTER INSERT ON point_stage
WHEN EXISTS (SELECT 1 FROM measurement WHERE stage_id = NEW.stage_id) BEGIN
  INSERT OR IGNORE INTO result_to_derive SELECT r.experiment, p.name FROM point p
    JOIN run r ON r.id = p.run_id WHERE p.id = NEW.point_id;
END;
CREATE TRIGGER result_not_asked AFTER DELETE ON point_stage
WHEN EXISTS (SELECT 1 FROM measurement WHERE stage_id = OLD.stage_id) BEGIN
  INSERT OR IGNORE INTO result_to_derive SELECT r.experiment, p.name FROM point p
    JOIN run r ON r.id = p.run_id WHERE p.id = OLD.point_id;
END;
CREATE TRIGGER result_not_cacheable AFTER INSERT ON artifact
WHEN NEW.not_cacheable IS NOT NULL BEGIN
  INSERT OR IGNORE INTO result_to_derive SELECT mp.experiment, mp.point
    FROM measurement m JOIN measurement_point mp ON mp.measurement = m.id
    WHERE m.attempt_id = NEW.attempt_id;
END;
INSERT INTO result_to_derive SELECT DISTINCT r.experiment, p.name
  FROM (SELECT DISTINCT stage_id FROM measurement) m JOIN point_stage ps ON ps.stage_id = m.stage_id
  JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id;
)sql";

}  // namespace

std::string_view derived_tables_migration() { return k_derived_tables; }

}  // namespace orch::tables
