// Reads a record, as `orchestrate bench --out` writes it, into values: measurement.json and
// requests.jsonl. Kept answers are in answers.jsonl.zst, whose path is returned unread
// (answers.hpp), and in older records in requests.jsonl. Trusts no content. Knows no database.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::tables {

// The statistics that a metric may carry beside its mean, in the order of the columns. The
// database's columns, the fields of measurement.json and the suffixes in views are these names.
inline constexpr std::string_view k_statistics[] = {
    "sd", "min", "max", "p50", "p90", "p95", "p99", "p999", "n", "interval_low", "interval_high"};
inline constexpr std::size_t k_statistic_count = std::size(k_statistics);
inline constexpr std::size_t k_statistic_n = 8;

struct Metric {
  std::string name;
  std::optional<double> mean;                                // or the single value
  std::optional<double> statistics[k_statistic_count] = {};  // in the order of k_statistics
};

struct Request {
  int line = 0;  // in requests.jsonl, from 1
  std::int64_t index = 0;
  bool warmup = false;
  std::optional<std::int64_t> block, due_ns, sent_ns, first_ns, last_ns, end_ns;
  std::optional<std::int64_t> isl, isl_reported, osl_requested, osl_counted, osl_reported;
  std::optional<std::int64_t> coalesced, status;
  std::optional<std::int64_t> server, sequences, first_event_tokens, scheduled_ns, first_token_ns,
      last_token_ns;
  bool stopped = false;
  std::optional<std::string> error;
  std::optional<std::string> answer;  // in older records
  std::vector<std::uint64_t> gaps_ns;
};

// One series of a server's metrics page.
struct Counter {
  std::string name;  // with its labels
  std::optional<double> before, after;
  std::optional<std::string> kind;          // "gauge" or "counter", where the page says so
  std::optional<double> min, max, mean, n;  // of a gauge during the window
};

// The work of one model of a server during the window.
struct ModelTime {
  std::string model, version;
  std::optional<std::int64_t> requests, failed, inferences, executions, cache_hits, cache_misses;
  std::optional<double> request_ms, queue_ms, compute_input_ms, compute_infer_ms, compute_output_ms;
  bool restarted = false;
};

// The load of one GPU of a server during the window.
struct GpuWindow {
  std::int64_t index = 0;
  std::optional<std::string> uuid, model;
  std::optional<double> memory_gib, used_gib_peak, power_w, energy_j, sm_clock_mhz_min,
      sm_clock_mhz_mean, sm_clock_mhz_max, busy_share;
  std::string throttled = "{}";  // JSON
};

struct Measured {
  bool valid = false;
  std::vector<std::string> reasons, warnings, unsupported, notes;
  std::string load = "{}", counting = "{}", client = "{}";  // JSON
  std::optional<std::int64_t> window_start_ns;
  std::optional<double> window_s;
  std::vector<Metric> metrics;
  std::vector<Counter> counters;
  std::vector<ModelTime> models;
  std::vector<GpuWindow> gpus;
  std::vector<Request> requests;
};

struct Record {
  std::vector<Measured> measurements;  // at least one
  std::string sha256;                  // of measurement.json
  std::optional<std::string> answers;  // the path of their file, if it exists
};

// The reason of an invalid measurement that names none.
inline constexpr std::string_view k_no_reason = "the load generator gave no reason";

// An error names the file and its fault. A metric whose name cannot be a column is left out, with a
// warning in the measurement.
Result<Record> read_record(system::Files& files, const std::filesystem::path& folder);

// A substitute for a record that cannot be read: one invalid measurement with WHY as its reason.
Record unreadable_record(const std::string& why);

}  // namespace orch::tables
