#include "results/imports/format.hpp"

#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/json_node.hpp"

namespace orch::imports {

namespace {

// Marks, in the order in which messages list them.
constexpr std::string_view k_marks_of_aiperf_json[] = {"aiperf_version", "was_cancelled",
                                                       "telemetry_data", "loadgen", "input_config"};
constexpr std::string_view k_marks_of_aiperf_jsonl[] = {"request_start_ns", "metadata"};
constexpr std::string_view k_marks_of_genai_perf_json[] = {"input_config", "request_latency",
                                                           "time_to_first_token"};
constexpr std::string_view k_marks_of_genai_perf_csv[] = {"Metric,avg,min,max,p99"};
constexpr std::string_view k_marks_of_aiperf_csv[] = {"Metric,avg,min,max,", ",std"};
constexpr std::string_view k_marks_of_profile_export[] = {"experiments", "response_timestamps"};
constexpr std::string_view k_marks_of_perf_analyzer_csv[] = {"Inferences/Second", "Client Send",
                                                             "Concurrency", "Request Rate"};
constexpr std::string_view k_marks_of_vllm_json[] = {
    "model_id",     "request_inthroughput",   "mean_itl_ms",
    "mean_ttft_ms", "total_token_throughput", "max_concurrency"};
constexpr std::string_view k_marks_of_trtllm_json[] = {"user_throughput",
                                                       "avg_decoded_tokens_per_iter"};
constexpr std::string_view k_marks_of_sglang_jsonl[] = {
    "server_info", "accept_length", "total_output_tokens_retokenized", "mean_e2e_latency_ms",
    "median_e2e_latency_ms"};
constexpr std::string_view k_marks_of_vllm_csv[] = {"max_concurrency", "mean_ttft_ms",
                                                    "request_throughput"};
constexpr std::string_view k_marks_of_lmdeploy_jsonl[] = {"dataset_name", "output_throughput"};
constexpr std::string_view k_marks_of_inferencex_json[] = {"tput_per_gpu", "conc", "hw"};
constexpr std::string_view k_marks_of_aiconfigurator_csv[] = {"silicon_ttft_ms", "tput_per_gpu",
                                                              "conc"};
constexpr std::string_view k_marks_of_model_analyzer_csv[] = {"Model,", "(infer/sec)"};
constexpr std::string_view k_marks_of_lmdeploy_csv[] = {"FTL(ave)(s)", "batch,num_pro",
                                                        "output_throughput", "completed"};
constexpr std::string_view k_marks_of_benchmark_core_model_csv[] = {"OP tokens/sec",
                                                                    "Requests/Sec"};
constexpr std::string_view k_marks_of_benchmark_core_model[] = {"OP tokens/sec", "Requests/Sec",
                                                                "InFlight requests"};
constexpr std::string_view k_marks_of_llm_perf[] = {"Request concurrency:", "average_ttft"};
constexpr std::string_view k_marks_of_perf_analyzer_text[] = {"*** Measurement Settings ***",
                                                              "Avg request latency:"};

// The first format that recognises a file reads it, so more specific formats come first.
constexpr Format k_formats[] = {
    {"aiperf-json", "aiperf", "profile_export_aiperf.json", is_aiperf_json, read_aiperf_json,
     k_marks_of_aiperf_json},
    {"aiperf-jsonl", "aiperf", "profile_export.jsonl: every request", is_aiperf_jsonl,
     read_aiperf_jsonl, k_marks_of_aiperf_jsonl},
    {"genai-perf-json", "genai-perf", "profile_export_genai_perf.json, releases 24.05 to 25.08",
     is_genai_perf_json, read_genai_perf_json, k_marks_of_genai_perf_json},
    {"genai-perf-csv", "genai-perf", "profile_export_genai_perf.csv", is_genai_perf_csv,
     read_genai_perf_csv, k_marks_of_genai_perf_csv},
    {"aiperf-csv", "aiperf", "profile_export_aiperf.csv", is_aiperf_csv, read_aiperf_csv,
     k_marks_of_aiperf_csv},
    {"profile-export", "perf_analyzer", "--profile-export-file: every request", is_profile_export,
     read_profile_export, k_marks_of_profile_export},
    {"perf-analyzer-csv", "perf_analyzer", "-f FILE, and the files of composing models",
     is_perf_analyzer_csv, read_perf_analyzer_csv, k_marks_of_perf_analyzer_csv},
    {"vllm-json", "vllm", "vllm bench serve --save-result: one result, a list or JSON lines",
     is_vllm_json, read_vllm_json, k_marks_of_vllm_json},
    {"trtllm-json", "trtllm", "benchmark_serving.py of TensorRT-LLM, which is like vLLM's",
     is_trtllm_json, read_trtllm_json, k_marks_of_trtllm_json},
    {"sglang-jsonl", "sglang", "bench_serving.py --output-file", is_sglang_jsonl, read_sglang_jsonl,
     k_marks_of_sglang_jsonl},
    {"vllm-csv", "vllm", "the summary of a sweep of vllm bench", is_vllm_csv, read_vllm_csv,
     k_marks_of_vllm_csv},
    {"lmdeploy-jsonl", "lmdeploy", "profile_restful_api.py 0.6.2 to 0.8", is_lmdeploy_jsonl,
     read_lmdeploy_jsonl, k_marks_of_lmdeploy_jsonl},
    {"inferencex-json", "inferencex", "agg_*.json: one result or a list", is_inferencex_json,
     read_inferencex_json, k_marks_of_inferencex_json},
    {"aiconfigurator-csv", "aiconfigurator",
     "silicon_sample.csv, or InferenceX's aggregated results", is_aiconfigurator_csv,
     read_aiconfigurator_csv, k_marks_of_aiconfigurator_csv},
    {"model-analyzer-csv", "model-analyzer", "metrics-model-inference.csv", is_model_analyzer_csv,
     read_model_analyzer_csv, k_marks_of_model_analyzer_csv},
    {"lmdeploy-csv", "lmdeploy",
     "profile_serving.py, profile_restful_api.py, profile_throughput.py", is_lmdeploy_csv,
     read_lmdeploy_csv, k_marks_of_lmdeploy_csv},
    {"benchmark-core-model-csv", "benchmark_core_model", "--op-stats-csv FILE", is_core_model_csv,
     read_core_model_csv, k_marks_of_benchmark_core_model_csv},
    {"benchmark-core-model", "benchmark_core_model", "the table that it prints",
     is_core_model_table, read_core_model_table, k_marks_of_benchmark_core_model},
    {"llm-perf", "llm-perf", "what llm_perf.py prints", is_llm_perf_text, read_llm_perf_text,
     k_marks_of_llm_perf},
    {"perf-analyzer-text", "perf_analyzer", "what it prints, with its composing models",
     is_perf_analyzer_text, read_perf_analyzer_text, k_marks_of_perf_analyzer_text},
};

}  // namespace

std::string known_as(const Format& format, std::string_view tool, const Source& source,
                     bool named) {
  constexpr std::size_t k_most_marks = 2;
  std::vector<std::string> found;
  for (const std::string_view mark : format.marks)
    if (found.size() < k_most_marks &&
        (is_json(source.text) ? has_key(source.text, mark)
                              : source.text.find(mark) != std::string_view::npos))
      found.push_back(fmt::format("`{}`", mark));
  const std::string by = named || found.empty() ? "--format" : join(found, " and ");
  return fmt::format("{}'s results ({}), by {}", tool, format.name, by);
}

std::optional<Error> why_cut(const Source& source) {
  if (!is_json(source.text)) return std::nullopt;
  const auto document = Document::parse(source.name, source.text);
  if (document || document.error().text().find("cut off") == std::string::npos) return std::nullopt;
  return document.error();
}

std::span<const Format> formats() { return k_formats; }

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(k_formats, name, &Format::name);
  return found == std::end(k_formats) ? nullptr : found;
}

const Format* recognise(const Source& source) {
  const auto found = std::ranges::find_if(
      k_formats, [&](const Format& format) { return format.recognise(source); });
  return found == std::end(k_formats) ? nullptr : found;
}

}  // namespace orch::imports
