// What a benchmark says when it is done: the table, the CSV, the files of the record. It measures
// nothing.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "cli/bench_options.hpp"

namespace orch::cli {

// For people, with one line of verdict per load.
std::string bench_table(const record::Measurement& measurement);
// One line per load, to be read under the tables of several.
std::string bench_summary(std::span<const record::Measurement> measurements);
// One line per metric, for programs. `low` and `high` are the 95 % interval of the mean, or of the
// one value; empty without one. `unsupported` names the percentiles that have too few records.
std::string bench_csv(const record::Measurement& measurement, bool with_header);

// Whether the places of --out and --db will take what is measured, asked before it costs hours.
Status check_places(const BenchCommand& command);
// The record's files, into the folder of --out; nothing without it.
Status write_record(const BenchCommand& command, std::span<const record::Measurement> measurements);
// The files of --export, in artifacts/ of the folder of --out or of the working folder; nothing
// without it.
Status write_export(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                    std::span<const record::Measurement> measurements);
// Into the store of --db: its inbox, and from there into the database unless somebody else writes
// to it now.
Status publish_record(const BenchCommand& command,
                      std::span<const record::Measurement> measurements);

}  // namespace orch::cli
