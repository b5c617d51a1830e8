// A measurement in the files of genai-perf 0.0.8 and of its perf_analyzer, for scripts that read
// them, with their names, keys, units and formats, computed by their formulas. Opens no file.
#pragma once

#include "bench/prompt/prompts.hpp"
#include "bench/record/measurement.hpp"
#include "bench/record/record_json.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::record {

// Python's text of a float: 5.0, not 5.
std::string python_float(double value);

// A folder for each measurement, named as genai-perf names it:
// "llama-triton-tensorrtllm-concurrency8". A repeated name gets -2, -3 and so on. The name of a
// trace, which genai-perf does not have, ends in -trace.
std::vector<std::string> genai_perf_folders(const BenchSpec& options,
                                            std::span<const Measurement> measurements);

// What profile_export.json needs besides a measurement. Everything is borrowed.
struct ProfileExport {
  const BenchSpec& options;
  std::span<const prompt::Prompt> prompts;  // the measured ones of the run
  std::string_view version;                 // of this program
  AnswerSpool* spool = nullptr;             // holds the answers that the records do not
};

// perf_analyzer's profile_export.json, with an experiment for each measurement: each successful
// request with its prompt, and the time and text of each of its responses. The run must have kept
// answers and text ends, with one prompt per request.
Status give_profile(const ProfileExport& with, std::span<const Measurement> measurements,
                    const Take& take);

// genai-perf's summaries of the same requests: profile_export_genai_perf.json and
// profile_export_genai_perf.csv. A metric that no request has is left out; the window of rates
// includes failed requests. FOLDER is where the files will be; the JSON repeats it.
struct GenaiPerfSummary {
  std::string json;
  std::string csv;
};
GenaiPerfSummary genai_perf_summary(const BenchSpec& options, const Measurement& measurement,
                                    std::string_view folder);

// A measurement as llm_perf.py prints it, for scripts that read its output, with its names, units,
// lines and formulas. Opens no file.

// The first line of a run. PROTOCOL is "grpc" or "http".
std::string llm_perf_title(std::string_view url, std::string_view protocol, std::string_view model);

// The lines of one load. Token rates are the tokens of all successful requests over the sum of
// their latencies; times are in seconds; an answer that was not streamed or has no text has its
// first response at its end. A figure that no request has is left out.
std::string llm_perf_block(const Measurement& measurement);

}  // namespace orch::record
