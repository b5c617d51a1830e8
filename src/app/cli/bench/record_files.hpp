// The files of a benchmark's record, written part by part and redacted. Knows nothing of stores.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/base/result.hpp"
#include "app/cli/bench/bench_options.hpp"
#include "bench/record/record_json.hpp"
#include "os/system/files.hpp"

namespace orch::cli {

using Produce = std::function<Status(const record::Take&)>;

// Replaces the file at PATH by what PRODUCE gives.
Status write_parts(system::Files& files, const std::string& path, const Produce& produce);
// The same for JSON, redacted.
Status write_json(const BenchCommand& command, const std::string& path, const Produce& produce);

std::string measurement_json(const BenchCommand& command,
                             std::span<const record::Measurement> measurements);
// Writes requests.jsonl and answers.jsonl.zst into FOLDER. Also removes the answers of an earlier
// measurement.
Status write_requests(const BenchCommand& command, const std::string& folder,
                      std::span<const record::Measurement> measurements);

}  // namespace orch::cli
