// Puts a measurement's record into the database. Idempotent: a record that is there already changes
// nothing. Knows neither where records come from nor when to commit.
#pragma once

#include "base/result.hpp"
#include "tables/record.hpp"
#include "tables/statements.hpp"
#include "tables/wide.hpp"

#include <optional>
#include <string>

namespace orch::tables {

// What the record itself does not know.
struct MeasurementKeys {
  std::int64_t attempt_id = 0;
  std::int64_t stage_id = 0;
  std::optional<std::int64_t> session_id;
  int session_order = 0;
  std::string path;  // of the folder, under the store
  bool superseded = false;
  double measured_at = 0;
};

// Inside a transaction. Adds the metrics that follow from the chain above the measurement
// (server_start_s, build_s, engine_gib) where the record has none of that name. Reads the answers
// that RECORD names through FILES.
Status ingest(system::Files& files, Statements& statements, Wide& wide, Record record,
              const MeasurementKeys& keys);

}  // namespace orch::tables
