#include "toolfile/format.hpp"

#include <algorithm>

namespace orch::toolfile {

namespace {

// The first one that recognises a file reads it: narrower ones come first.
constexpr Format k_formats[] = {
    {"aiperf-json", "aiperf", "profile_export_aiperf.json", is_aiperf_json, read_aiperf_json},
    {"aiperf-jsonl", "aiperf", "profile_export.jsonl: every request", is_aiperf_jsonl,
     read_aiperf_jsonl},
    {"genai-perf-json", "genai-perf", "profile_export_genai_perf.json, releases 24.05 to 25.08",
     is_genai_perf_json, read_genai_perf_json},
    {"genai-perf-csv", "genai-perf", "profile_export_genai_perf.csv", is_genai_perf_csv,
     read_genai_perf_csv},
    {"profile-export", "perf_analyzer", "--profile-export-file: every request", is_profile_export,
     read_profile_export},
    {"perf-analyzer-csv", "perf_analyzer", "-f FILE, and the files of composing models",
     is_perf_analyzer_csv, read_perf_analyzer_csv},
    {"vllm-json", "vllm", "vllm bench serve --save-result: one result, a list or JSON lines",
     is_vllm_json, read_vllm_json},
    {"vllm-csv", "vllm", "the summary of a sweep of vllm bench", is_vllm_csv, read_vllm_csv},
    {"lmdeploy-jsonl", "lmdeploy", "profile_restful_api.py 0.6.2 to 0.8", is_lmdeploy_jsonl,
     read_lmdeploy_jsonl},
    {"aiconfigurator-csv", "aiconfigurator",
     "silicon_sample.csv, or InferenceX's aggregated results", is_aiconfigurator_csv,
     read_aiconfigurator_csv},
    {"model-analyzer-csv", "model-analyzer", "metrics-model-inference.csv", is_model_analyzer_csv,
     read_model_analyzer_csv},
    {"lmdeploy-csv", "lmdeploy",
     "profile_serving.py, profile_restful_api.py, profile_throughput.py", is_lmdeploy_csv,
     read_lmdeploy_csv},
    {"benchmark-core-model-csv", "benchmark_core_model", "--op-stats-csv FILE", is_core_model_csv,
     read_core_model_csv},
    {"benchmark-core-model", "benchmark_core_model", "the table that it prints",
     is_core_model_table, read_core_model_table},
    {"llm-perf", "llm-perf", "what llm_perf.py prints", is_llm_perf_text, read_llm_perf_text},
    {"perf-analyzer-text", "perf_analyzer", "what it prints, with its composing models",
     is_perf_analyzer_text, read_perf_analyzer_text},
};

}  // namespace

std::span<const Format> formats() { return k_formats; }

const Format* find_format(std::string_view name) {
  const auto found = std::find_if(std::begin(k_formats), std::end(k_formats),
                                  [&](const Format& format) { return format.name == name; });
  return found == std::end(k_formats) ? nullptr : found;
}

const Format* recognise(const Source& source) {
  const auto found = std::find_if(std::begin(k_formats), std::end(k_formats),
                                  [&](const Format& format) { return format.recognise(source); });
  return found == std::end(k_formats) ? nullptr : found;
}

}  // namespace orch::toolfile
