// A measurement in the form of the files of genai-perf 0.0.8 and its perf_analyzer, for scripts
// that read these: with their names, keys, units and formats, computed by their formulas. Opens no
// files.
#pragma once

#include "bench/prompt/prompts.hpp"
#include "bench/record/measurement.hpp"
#include "bench/record/record_json.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::record {

// VALUE as Python prints a float: 5.0, not 5.
std::string python_float(double value);

// A folder for each measurement, named as genai-perf names it:
// "llama-triton-tensorrtllm-concurrency8". A repeated name gets -2, -3 and so on. The name of a
// trace, which genai-perf does not have, ends in -trace.
std::vector<std::string> genai_perf_folders(const BenchSpec& options,
                                            std::span<const Measurement> measurements);

// The inputs of profile_export.json besides the measurements. Everything is borrowed.
struct ProfileExport {
  const BenchSpec& options;
  std::span<const prompt::Prompt> prompts;  // the prompts of the run, without warm-up
  std::string_view version;                 // of this program
  AnswerSpool* spool = nullptr;             // has the answers that the records lack
};

// perf_analyzer's profile_export.json, with an experiment for each measurement: each successful
// request with its prompt, and the time and text of each of its responses. The run must have kept
// answers and the ends of texts, and have one prompt per request.
Status give_profile(const ProfileExport& with, std::span<const Measurement> measurements,
                    const Take& take);

// genai-perf's summaries of the same requests: profile_export_genai_perf.json and
// profile_export_genai_perf.csv. A metric that no request has is left out; the window of rates
// includes failed requests. FOLDER, the folder of the files, is repeated in the JSON.
struct GenaiPerfSummary {
  std::string json;
  std::string csv;
};
GenaiPerfSummary genai_perf_summary(const BenchSpec& options, const Measurement& measurement,
                                    std::string_view folder);

// A measurement as llm_perf.py prints it, for scripts that read that output: with its names, units,
// lines and formulas. Opens no files.

// The first line of a run. PROTOCOL is "grpc" or "http".
std::string llm_perf_title(std::string_view url, std::string_view protocol, std::string_view model);

// The lines of one load. Token rates are the tokens of all successful requests over the sum of
// their latencies; times are in seconds; the first response of an answer that was not streamed or
// has no text is at the answer's end. Without a successful request, only the throughput is given; a
// token rate is left out if a successful request has no count.
std::string llm_perf_block(const Measurement& measurement);

}  // namespace orch::record
