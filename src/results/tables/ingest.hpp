// Writes a measurement's record into the database. Idempotent: a record that is stored already
// changes nothing. Knows neither the source of records nor when to commit.
#pragma once

#include "core/base/result.hpp"
#include "bench/record/record_reader.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <optional>
#include <string>

namespace orch::tables {

// The context of a measurement, which its record does not contain.
struct MeasurementKeys {
  std::int64_t attempt_id = 0;
  std::int64_t stage_id = 0;
  std::optional<std::int64_t> session_id;
  int session_order = 0;
  std::string path;  // of the folder, relative to the store
  bool superseded = false;
  std::string isolation = {};   // strict, gpu or none; "": not known
  std::string neighbours = {};  // ids of stages, joined by ' '
  double measured_at = 0;
};

// Runs inside the caller's transaction. Adds the metrics of the stages that the measurement depends
// on (server_start_s, build_s, engine_gib) unless the record has a metric of that name. Reads the
// answers that RECORD names through FILES.
Status ingest(system::Files& files, Statements& statements, Wide& wide, record::Record record,
              const MeasurementKeys& keys);

}  // namespace orch::tables
