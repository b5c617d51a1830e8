// Reads the record of a measure stage, measurement.json and requests.jsonl, into the values of the
// field tables. Answers stay in answers.jsonl.zst, whose path is returned; older records have them
// in requests.jsonl. Trusts nothing that it reads.
#pragma once

#include "bench/record/measurement.hpp"
#include "bench/record/measurement_fields.hpp"
#include "bench/record/request_fields.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::record {

struct RequestRow {
  int line = 0;  // in requests.jsonl, from 1
  RequestValues values = {};
  std::optional<std::string> answer;  // in older records
};

// One series of a server's metrics page.
struct Counter {
  std::string name;  // with its labels
  std::optional<double> before, after;
  std::optional<std::string> kind;          // "gauge" or "counter"; nullopt: unknown
  std::optional<double> min, max, mean, n;  // of a gauge, during the window
};

struct MeasurementRow {
  MeasurementValues values;
  std::vector<NamedMetric> metrics;
  std::vector<Counter> counters;
  std::vector<ModelValues> models;
  std::vector<GpuValues> gpus;
  std::vector<RequestRow> requests;

  Texts& warnings();
};

struct Record {
  std::vector<MeasurementRow> measurements = {};  // at least one
  std::string sha256;                             // of measurement.json
  std::optional<std::string> answers = {};        // path of answers.jsonl.zst, if it exists
};

// The reason given for an invalid measurement that states none.
inline constexpr std::string_view k_no_reason = "the load generator gave no reason";

// Errors name the file and the line that breaks the format. A metric that has no number, or a name
// that cannot be that of a column, is left out, with a warning in its measurement.
Result<Record> read_record(system::Files& files, const std::filesystem::path& folder);

// Replaces a record that cannot be read: one invalid measurement with the reason WHY.
Record unreadable_record(const std::string& why);

}  // namespace orch::record
