// The output of a benchmark: the table, the CSV, the files of the record, the store. Measures
// nothing.
#pragma once

#include "app/cli/bench/bench_options.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/record/record_json.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <functional>
#include <span>
#include <string>

namespace orch::cli {

// The table of `orchestrate bench` with the times that each model of a Triton server spent on a
// request. Knows no metric.

// A header and one line for each model; "" without models.
std::string models_table(std::span<const observe::ModelTimes> models);

// The files of a benchmark's record, written in parts and redacted. Knows no store.

using Produce = std::function<Status(const record::Take&)>;

// Replaces the file at PATH with the output of PRODUCE.
Status write_parts(system::Files& files, const std::string& path, const Produce& produce);
// The same for JSON, redacted.
Status write_json(const BenchCommand& command, const std::string& path, const Produce& produce);

std::string measurement_json(const BenchCommand& command,
                             std::span<const record::Measurement> measurements);
// Writes requests.jsonl and answers.jsonl.zst into FOLDER. Also removes the answers of an earlier
// measurement.
Status write_requests(const BenchCommand& command, const std::string& folder,
                      std::span<const record::Measurement> measurements);

// A table for people, with the verdict of the load.
std::string bench_table(const record::Measurement& measurement);
// One line per load, printed below the tables of several loads.
std::string bench_summary(std::span<const record::Measurement> measurements);
// One line per metric, for programs. `low` and `high` are the 95 % interval of the mean or of the
// single value, empty without one. `unsupported` names the percentiles for which n is too small.
std::string bench_csv(const record::Measurement& measurement, bool with_header);

// Checks that --out, --db and the profile can be written to, before hours of measuring.
Status check_places(const BenchCommand& command);
// Writes the record's files into the folder of --out; nothing without it.
Status write_record(const BenchCommand& command, std::span<const record::Measurement> measurements);
// Writes the files of --export into artifacts/ in the folder of --out, else in the working folder;
// nothing without --export.
Status write_export(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                    std::span<const record::Measurement> measurements);
// Writes the file of `profile`; nothing without it.
Status write_profile(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                     std::span<const record::Measurement> measurements);
// Publishes into the inbox of the store of --db, and ingests it unless another process writes to
// the store.
Status publish_record(const BenchCommand& command,
                      std::span<const record::Measurement> measurements);

}  // namespace orch::cli
