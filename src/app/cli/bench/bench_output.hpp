// The output of a benchmark: the table, the CSV, the files of the record, the store.
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
// request.

// A header and one line for each model; "" if there are no models.
std::string models_table(std::span<const observe::ModelTimes> models);

// The files of a benchmark's record, written in parts and redacted.

using Produce = std::function<Status(const record::Take&)>;

// Replaces the file at PATH with the output of PRODUCE.
Status write_parts(system::Files& files, const std::string& path, const Produce& produce);
// Replaces the file at PATH with the JSON of PRODUCE, redacted.
Status write_json(const BenchCommand& command, const std::string& path, const Produce& produce);

std::string measurement_json(const BenchCommand& command,
                             std::span<const record::Measurement> measurements);
// Writes requests.jsonl, answers.jsonl.zst and values.jsonl.zst into FOLDER; removes answers and
// values of an earlier measurement that are not replaced.
Status write_requests(const BenchCommand& command, const std::string& folder,
                      std::span<const record::Measurement> measurements);

// A table for people, with the verdict of the load.
std::string bench_table(const record::Measurement& measurement);
// One line per load, printed below the tables of several loads.
std::string bench_summary(std::span<const record::Measurement> measurements);
// One line per metric, for programs. `low` and `high` are the 95 % interval of the mean or the
// single value, empty if there is none. `unsupported` names the percentiles for which n is too
// small.
std::string bench_csv(const record::Measurement& measurement, bool with_header);

// Checks that --out, --db and the profile can be written to, and that no other output is inside a
// store, before hours of measuring.
Status check_places(const BenchCommand& command);
// Writes the record's files into the folder of --out, if it is given.
Status write_record(const BenchCommand& command, std::span<const record::Measurement> measurements);
// Writes the files of --export, if it is given, into artifacts/ in the folder of --out or else in
// the working folder.
Status write_export(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                    std::span<const record::Measurement> measurements);
// Writes the file `profile` of COMMAND, if it is set.
Status write_profile(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                     std::span<const record::Measurement> measurements);
// Publishes the record to the inbox of the store of --db, and ingests it unless another process
// writes to the store.
Status publish_record(const BenchCommand& command,
                      std::span<const record::Measurement> measurements);

}  // namespace orch::cli
