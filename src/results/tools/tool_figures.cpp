#include "results/tools/tool_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/metrics.hpp"
#include "results/tools/peers.hpp"

namespace orch::measure {
namespace {

constexpr Tool k_tools[] = {
    {"genai-perf", "genai-perf >= 24.06", "computed from perf_analyzer's export"},
    {"perf_analyzer", "perf_analyzer", "windows of its own choice; no figure of tokens"},
    {"aiperf", "AIPerf", "successor of genai-perf"},
    {"vllm", "vLLM bench serve", "vllm bench serve and its sweeps"},
    {"lmdeploy", "LMDeploy", "LMDeploy's benchmark scripts"},
    {"benchmark_core_model", "benchmark_core_model", "a script of tensorrtllm_backend"},
    {"llm-perf", "llm_perf", "llm_perf.py, and orchestrate llm-perf"},
    {"model-analyzer", "perf_analyzer", "Model Analyzer, which runs perf_analyzer or genai-perf"},
    {"aiconfigurator", "", "measurements that AIConfigurator is compared with, of several origins"},
    {"inferencex", "vLLM bench serve", "InferenceX's aggregated results"},
};

constexpr std::string_view k_pa = "perf_analyzer";
constexpr ToolFigure k_figures[] = {
    {"genai-perf", "genai_perf_output_token_throughput_per_request_tps",
     "osl / request latency, per request, prefill included; up to release 25.03"},
    {"genai-perf", "genai_perf_request_count", "number of requests in the export"},
    {k_pa, "perf_analyzer_responses_per_s",
     "responses of the last three stable windows / their length; of a streamed answer every event "
     "is one"},
    {k_pa, "perf_analyzer_request_count", "requests that ended in the last three stable windows"},
    {k_pa, "perf_analyzer_client_overhead_percent",
     "share of the window in which the client did not wait for the server; printed for a closed "
     "loop"},
    {k_pa, "perf_analyzer_client_send_us",
     "mean time to hand a request to the network; 0 over gRPC streams"},
    {k_pa, "perf_analyzer_client_recv_us", "mean time to read a response; 0 over gRPC streams"},
    {k_pa, "perf_analyzer_network_server_send_recv_us",
     "mean latency less queue and compute, which come from the server: of a model that sends many "
     "responses, most of the answer"},
    {k_pa, "perf_analyzer_server_queue_us",
     "growth of the model's queue time / number of requests, from Triton's statistics"},
    {k_pa, "perf_analyzer_server_compute_us",
     "of an ensemble: the three compute times of its models together"},
    {k_pa, "perf_analyzer_server_compute_input_us",
     "growth of the time to prepare inputs / executions, from Triton's statistics"},
    {k_pa, "perf_analyzer_server_compute_infer_us",
     "growth of the time in the model / executions, from Triton's statistics; a decoupled model "
     "returns before it has answered"},
    {k_pa, "perf_analyzer_server_compute_output_us",
     "growth of the time to return outputs / executions, from Triton's statistics"},
    {k_pa, "perf_analyzer_server_request_latency_us",
     "growth of the time of successful requests / their number, from Triton's statistics"},
    {k_pa, "perf_analyzer_request_response_us", "client send + client receive"},
    {k_pa, "perf_analyzer_response_wait_us", "request time less client send and receive"},
    {"aiperf", "aiperf_benchmark_duration_s",
     "last response - first send, over valid requests; its throughputs divide by the longer time "
     "of "
     "the whole run"},
    {"aiperf", "aiperf_request_count", "number of valid requests"},
    {"aiperf", "aiperf_error_request_count", "number of requests that failed"},
    {"vllm", "vllm_total_token_throughput_tps",
     "(sum of isl + sum of osl) / wall time of the whole run"},
    {"vllm", "vllm_completed", "requests that succeeded"},
    {"vllm", "vllm_failed", "requests that failed"},
    {"vllm", "vllm_duration_s", "wall time of the whole run, its client's own work included"},
    {"vllm", "vllm_total_input_tokens", "sum of isl of requests that succeeded"},
    {"vllm", "vllm_total_output_tokens", "sum of osl of requests that succeeded"},
    {"lmdeploy", "lmdeploy_requests_per_minute", "60 x requests / elapsed"},
    {"lmdeploy", "lmdeploy_token_latency_ms",
     "time between tokens, pooled over all requests (profile_throughput.py)"},
    {"lmdeploy", "lmdeploy_total_tps", "(sum of isl + sum of osl) / elapsed"},
    {"lmdeploy", "lmdeploy_memory_gb", "GPU memory in use"},
    {"lmdeploy", "lmdeploy_completed", "requests that succeeded"},
    {"lmdeploy", "lmdeploy_duration_s", "wall time of the whole run"},
    {"lmdeploy", "lmdeploy_total_input_tokens", "sum of isl"},
    {"lmdeploy", "lmdeploy_total_output_tokens", "sum of osl"},
    {"benchmark_core_model", "benchmark_core_model_in_flight",
     "always 0: the script prints a constant"},
    {"benchmark_core_model", "benchmark_core_model_total_latency_ms",
     "last stop - first start of all requests"},
    {"benchmark_core_model", "benchmark_core_model_total_requests", "number of requests"},
    {"llm-perf", "llm_perf_average_input_token_per_sec",
     "sum of isl / sum of latencies, over requests: no throughput of the server, it falls as the "
     "load rises"},
    {"llm-perf", "llm_perf_average_output_token_per_sec",
     "sum of osl / sum of latencies, over requests: no throughput of the server"},
    {"model-analyzer", "model_analyzer_server_queue_ms", "perf_analyzer's server queue time"},
    {"model-analyzer", "model_analyzer_server_compute_input_ms", "perf_analyzer's compute input"},
    {"model-analyzer", "model_analyzer_server_compute_infer_ms", "perf_analyzer's compute infer"},
    {"model-analyzer", "model_analyzer_server_compute_output_ms", "perf_analyzer's compute output"},
    {"model-analyzer", "model_analyzer_client_send_recv_ms", "perf_analyzer's request/response"},
    {"model-analyzer", "model_analyzer_response_wait_ms", "perf_analyzer's response wait"},
    {"aiconfigurator", "ttft_ms", "as the origin of the row measured it: unknown per row"},
    {"aiconfigurator", "tpot_ms", "as the origin of the row measured it: unknown per row"},
    {"inferencex", "inferencex_total_tps_per_gpu", "(input + output tokens) / s / GPUs"},
    {"inferencex", "inferencex_output_tps_per_gpu", "output tokens / s / GPUs"},
    {"inferencex", "inferencex_input_tps_per_gpu", "input tokens / s / GPUs"},
};

const PeerFormula* formula_of(const Tool& tool, std::string_view metric) {
  const auto rows = peer_formulas();
  const auto row = std::ranges::find_if(
      rows, [&](const PeerFormula& one) { return one.metric == metric && one.peer == tool.peer; });
  return row == rows.end() ? nullptr : &*row;
}

std::string_view remarks_of(const Tool& tool) {
  for (const Peer& peer : peers())
    if (peer.name == tool.peer) return peer.release;
  return "";
}

}  // namespace

std::span<const Tool> tools() { return k_tools; }

const Tool* find_tool(std::string_view name) {
  const auto found =
      std::ranges::find_if(k_tools, [&](const Tool& tool) { return tool.name == name; });
  return found == std::end(k_tools) ? nullptr : found;
}

std::span<const ToolFigure> tool_figures() { return k_figures; }

Definition definition_of(const Tool& tool, std::string_view figure) {
  const MetricRow* ours = find_metric(figure);
  for (const ToolFigure& row : k_figures)
    if (row.tool == tool.name && row.figure == figure)
      return {std::string(row.formula),
              ours ? fmt::format("ours is {}", ours->formula) : std::string()};
  const PeerFormula* formula = ours ? formula_of(tool, figure) : nullptr;
  if (formula == nullptr || formula->formula == "none" || formula->formula.starts_with("none;"))
    return {};
  const std::string remarks(remarks_of(tool));
  if (formula->formula == "same")
    return {std::string(ours->formula), fmt::format("the same formula; {}", remarks)};
  if (formula->formula.starts_with("same"))
    return {std::string(ours->formula), fmt::format("{}; {}", formula->formula, remarks)};
  return {std::string(formula->formula), fmt::format("{} counts {}; ours is {}; {}", tool.name,
                                                     formula->formula, ours->formula, remarks)};
}

std::vector<std::string_view> figures_of(const Tool& tool) {
  std::vector<std::string_view> names;
  for (const MetricRow& row : metric_table())
    if (!definition_of(tool, row.name).formula.empty()) names.push_back(row.name);
  for (const ToolFigure& row : k_figures)
    if (row.tool == tool.name && !find_metric(row.figure)) names.push_back(row.figure);
  return names;
}

}  // namespace orch::measure
