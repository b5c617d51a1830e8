// What genai-perf 0.0.8 and the perf_analyzer under it leave of a measurement, for scripts that
// read their files: names, keys, units and formats are theirs, figures are ours by their formulas.
// It opens no file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prompt/prompts.hpp"
#include "record/measurement.hpp"

namespace orch::record {

// A folder for each measurement, named as genai-perf names it:
// "llama-triton-tensorrtllm-concurrency8". A name that came before is followed by -2, -3 and so on;
// of a trace, which genai-perf has not, it ends in -trace.
std::vector<std::string> genai_perf_folders(const BenchSpec& options,
                                            std::span<const Measurement> measurements);

// perf_analyzer's profile_export.json: each request that succeeded, its prompt, and when each of
// its responses came with what text. PROMPTS are the measured ones of the run, which must have kept
// answers and text ends, with one prompt in a request. VERSION: of whoever writes it.
std::string profile_export(const BenchSpec& options, std::span<const prompt::Prompt> prompts,
                           const Measurement& measurement, std::string_view version);

// genai-perf's summaries of the same requests: profile_export_genai_perf.json and
// profile_export_genai_perf.csv. A metric that no request has is left out; rates are over the time
// that failed requests took too. FOLDER is where they will lie: the JSON says so.
struct GenaiPerfSummary {
  std::string json;
  std::string csv;
};
GenaiPerfSummary genai_perf_summary(const BenchSpec& options, const Measurement& measurement,
                                    std::string_view folder);

}  // namespace orch::record
