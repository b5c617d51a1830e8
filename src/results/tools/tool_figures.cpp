#include "results/tools/tool_figures.hpp"

#include "bench/measure/metrics.hpp"

namespace orch::measure {

namespace {

constexpr std::string_view k_old_genai = "genai-perf <= 24.05", k_genai = "genai-perf >= 24.06",
                           k_perf_analyzer = "perf_analyzer", k_aiperf = "AIPerf",
                           k_vllm = "vLLM bench serve", k_guidellm = "guidellm",
                           k_trtllm = "trtllm-bench", k_core = "benchmark_core_model",
                           k_lmdeploy = "LMDeploy", k_huggingface = "inference-benchmarker",
                           k_llm_perf = "llm_perf";

constexpr Peer k_peers[] = {
    {k_old_genai,
     "0.0.2; perf_analyzer's system clock; tokens counted by retokenising the text of each "
     "response"},
    {k_genai,
     "0.0.3 to 0.0.16; perf_analyzer's system clock; tokens counted by retokenising the joined "
     "text"},
    {k_perf_analyzer,
     "2.51.0 to 2.60.0; system clock; starts before the request is handed to its thread; windows "
     "end at polls, and the values are means of the last three windows"},
    {k_aiperf,
     "0.13.0; monotonic clock; all events of one read share a stamp; tokens counted by "
     "retokenising unless the server's count is requested"},
    {k_vllm,
     "0.33.0; events are stamped when they are parsed, so that waiting in the client's event loop "
     "is included"},
    {k_guidellm, "0.8.1; wall clock; starts when the HTTP library sends the head"},
    {k_trtllm, "in-process, without a server; the source of its request records was not read"},
    {k_core,
     "0.9 to 0.14; a latency ends in the client's callback; by default all requests are sent at "
     "once, so that latency is mostly queueing"},
    {k_lmdeploy,
     "0.1.0 and main; its engine profiler drops sessions whose answers are shorter than requested"},
    {k_huggingface,
     "1.1.0 of Hugging Face; monotonic clock; every delta is tokenised inside the timed loop"},
    {k_llm_perf,
     "known only from its output, in which the rates of tokens times the mean latency are the same "
     "at every load; the end token decides the lengths; orchestrate llm-perf follows it"},
};

constexpr std::string_view k_same = "same", k_none = "none";

constexpr PeerFormula k_formulas[] = {
    {metric::ttft_ms, k_old_genai, k_same},
    {metric::ttft_ms, k_genai,
     "same; for OpenAI servers the first response with text; for an unstreamed answer it reports "
     "the latency as TTFT"},
    {metric::ttft_ms, k_perf_analyzer,
     "none; its export has the time of every response, including the empty first one of a chat"},
    {metric::ttft_ms, k_aiperf,
     "first event with content - start; stamped just before the HTTP library is called"},
    {metric::ttft_ms, k_vllm,
     "first event with choices - start; releases before 0.33 count the empty first event of a chat "
     "as a token"},
    {metric::ttft_ms, k_guidellm, "first event with a token - start"},
    {metric::ttft_ms, k_trtllm, "reported; its formula was not read"},
    {metric::ttft_ms, k_lmdeploy,
     "0.1: first_token_latency, mean and minimum, in seconds; main: mean_ttft_ms"},
    {metric::ttft_ms, k_huggingface, "first non-empty delta - start"},

    {metric::ttft_ms_intended, k_genai, k_none},
    {metric::ttft_ms_intended, k_vllm,
     "none; the wait for its concurrency limit is a separate field"},

    {"ttfr_ms", k_genai, k_none},
    {"ttfo_ms", k_genai, k_none},
    {"ttfo_ms", k_aiperf, "same, as time_to_first_output_token"},
    {metric::ttst_ms, k_old_genai, k_none},
    {metric::ttst_ms, k_genai, "none before 0.0.10 (release 25.01), the same since"},
    {metric::ttst_ms, k_aiperf, "same, by events"},

    {metric::itl_ms, k_old_genai,
     "gaps between responses, each divided by the tokens of the later one, pooled over all "
     "requests"},
    {metric::itl_ms, k_genai,
     "same; up to 0.0.12 an answer of several tokens in one response counts as 0"},
    {metric::itl_ms, k_aiperf,
     "(latency - TTFT) / (osl - 1), or / (osl - tokens of the first event) where every event "
     "reports usage"},
    {metric::itl_ms, k_vllm, "gaps between events, pooled over all requests: see event_gap_ms"},
    {metric::itl_ms, k_guidellm,
     "same per request; mean and percentiles weight each request by its number of gaps, osl - 1"},
    {metric::itl_ms, k_trtllm, "the latency between tokens, per request, printed as TPOT"},
    {metric::itl_ms, k_lmdeploy,
     "main: gaps between events, pooled over all requests: see event_gap_ms"},
    {metric::itl_ms, k_huggingface, "sum of the gaps after the first token / (tokens - 1)"},

    {metric::tpot_ms, k_genai, "none besides its inter-token latency: see itl_ms"},
    {metric::tpot_ms, k_aiperf,
     "its inter-token latency where every event reports usage, else see itl_ms"},
    {metric::tpot_ms, k_vllm,
     "(latency - TTFT) / (osl - 1), which is too small where the first event carries more than one "
     "token"},
    {metric::tpot_ms, k_guidellm,
     "(last token - start) / osl: prefill included; mean and percentiles weight each request by "
     "its osl"},
    {metric::tpot_ms, k_trtllm, "see itl_ms"},
    {metric::tpot_ms, k_lmdeploy,
     "main: (latency - TTFT) / (osl - 1); its engine profiler: (end - first) / (tokens at the end "
     "- tokens at the first)"},

    {metric::event_gap_ms, k_old_genai, "the gap divided by the tokens of the later response"},
    {metric::event_gap_ms, k_genai, "none in its reports; its plots use the older definition"},
    {metric::event_gap_ms, k_aiperf, "inter_chunk_latency: gaps between events with content"},
    {metric::event_gap_ms, k_vllm,
     "same, called ITL; gaps between events of one read are nearly 0"},
    {metric::event_gap_ms, k_lmdeploy,
     "main: same, called ITL; its engine profiler leaves out the first gap"},

    {metric::request_latency_ms, k_old_genai, k_same},
    {metric::request_latency_ms, k_genai, "same; over gRPC the last response may have no text"},
    {metric::request_latency_ms, k_perf_analyzer,
     "last response that is not null - start, over requests that end within its windows; a "
     "percentile is the value at the rounded rank; its banner says first response for decoupled "
     "models, its code does not"},
    {metric::request_latency_ms, k_aiperf, "last event - start"},
    {metric::request_latency_ms, k_vllm,
     "last event - start, called E2EL; printed only on request"},
    {metric::request_latency_ms, k_guidellm, "end - start"},
    {metric::request_latency_ms, k_core,
     "callback - send; with several responses, the last callback"},
    {metric::request_latency_ms, k_trtllm, "reported; its formula was not read"},
    {metric::request_latency_ms, k_huggingface, "e2e_latency: end - start"},
    {metric::request_latency_ms, k_lmdeploy, "main: mean_e2e_latency_ms"},

    {metric::request_latency_ms_intended, k_genai, k_none},
    {metric::request_latency_ms_intended, k_perf_analyzer,
     "none; requests sent more than 1 ms late are called delayed, and it warns above 1 %"},
    {metric::request_latency_ms_intended, k_guidellm,
     "a second latency, from the scheduled send, since #1053"},

    {metric::input_tps, k_genai, "none; computed on import: mean isl * its request throughput"},
    {metric::input_tps, k_aiperf, "sum of isl / the time of the whole run"},
    {metric::input_tps, k_vllm, "none; computed on import: its total_input_tokens / its duration"},
    {metric::input_tps, k_guidellm,
     "from the prompt tokens in each second of the measured phase, without its beginning and end"},
    {metric::input_tps, k_lmdeploy, "main: sum of input lengths / wall time of the whole run"},
    {metric::input_tps, k_llm_perf,
     "sum of isl / sum of latencies, over requests: falls as the load rises"},

    {metric::output_tps, k_old_genai,
     "same, but tokens are summed over responses: a text that is split between responses counts "
     "more tokens"},
    {metric::output_tps, k_genai, k_same},
    {metric::output_tps, k_perf_analyzer, "none; responses per second only"},
    {metric::output_tps, k_aiperf,
     "sum of osl, reasoning tokens included / the time of the whole run"},
    {metric::output_tps, k_vllm, "sum of osl / wall time of the whole run"},
    {metric::output_tps, k_guidellm,
     "from the tokens in each second of the measured phase, without its beginning and end"},
    {metric::output_tps, k_trtllm, "sum of osl / (last end - first start), by token ids"},
    {metric::output_tps, k_core,
     "sum of (output ids - input ids) / (last stop - first start): too small, even negative, where "
     "the server does not repeat the prompt in its answer"},
    {metric::output_tps, k_lmdeploy,
     "0.1: completion tokens / elapsed; main: sum of lengths requested or reported / wall time of "
     "the whole run; its engine profiler excludes sessions with short answers"},
    {metric::output_tps, k_huggingface, "sum of osl / (end - start), over requests that succeeded"},
    {metric::output_tps, k_llm_perf,
     "sum of osl / sum of latencies, over requests: falls as the load rises"},

    {metric::output_tps_per_user, k_old_genai, "osl / latency, prefill included"},
    {metric::output_tps_per_user, k_genai,
     "up to 0.0.12 output_token_throughput_per_request, osl / latency, prefill included; the same "
     "since 0.0.13 (release 25.04)"},
    {metric::output_tps_per_user, k_aiperf, "same, by its own inter-token latency"},
    {metric::output_tps_per_user, k_trtllm, "per-user output throughput; its formula was not read"},
    {metric::output_tps_per_user, k_llm_perf,
     "its output rate is the closest, prefill included: see output_tps"},

    {metric::requests_per_s, k_old_genai,
     "all requests of the export / the same time; a failed request ends the run"},
    {metric::requests_per_s, k_genai,
     "all requests of the export, including those with an empty answer / the same time; a failed "
     "request ends the run"},
    {metric::requests_per_s, k_perf_analyzer,
     "requests that ended in the window / the window; windows end at one-second polls, so that "
     "with a request count it is 1 to 55 % too low"},
    {metric::requests_per_s, k_aiperf,
     "requests that succeeded / the time of the whole run; its benchmark_duration, from the first "
     "send to the last response, is shorter"},
    {metric::requests_per_s, k_vllm, "requests that succeeded / wall time of the whole run"},
    {metric::requests_per_s, k_guidellm,
     "from the requests in each second of the measured phase, without its beginning and end"},
    {metric::requests_per_s, k_trtllm, "requests / (last end - first start)"},
    {metric::requests_per_s, k_core, "requests / (last stop - first start)"},
    {metric::requests_per_s, k_lmdeploy,
     "0.1: requests / elapsed, also per minute; main: completed / wall time of the whole run; its "
     "engine profiler excludes sessions with short answers"},
    {metric::requests_per_s, k_huggingface, "requests that succeeded / (end - start)"},
    {metric::requests_per_s, k_llm_perf,
     "inferences per second, over an unknown time; orchestrate llm-perf: same"},

    {metric::goodput_rps, k_old_genai, k_none},
    {metric::goodput_rps, k_genai,
     "none before 0.0.7 (release 24.10); since then requests within every given limit / the same "
     "time; limits are names and milliseconds, not an expression"},
    {metric::goodput_rps, k_aiperf, "requests within every given limit / the same time"},
    {metric::goodput_rps, k_guidellm,
     "request_goodput, the rate of requests within its limits, and slo_attainment, their share"},
    {metric::goodput_rps, k_vllm,
     "requests within the given ttft, tpot and e2el / wall time of the whole run"},

    {metric::error_rate, k_genai, "none: perf_analyzer ends with the first failed request"},
    {metric::error_rate, k_perf_analyzer, "none: it ends with the first failed request"},
    {metric::error_rate, k_aiperf, "same, in percent"},

    {metric::isl_counted, k_old_genai, "tokens of the prompt's text, retokenised"},
    {metric::isl_counted, k_genai,
     "tokens of the prompt's text, retokenised without special tokens"},
    {metric::isl_counted, k_aiperf,
     "tokens of the prompt's text, retokenised, or the server's count"},
    {metric::isl_counted, k_trtllm, k_same},
    {metric::isl_counted, k_guidellm,
     "the server's usage; without it, tokens of the prompt's text, retokenised"},
    {metric::isl_counted, k_lmdeploy, "main: the input lengths of its prompts, as a sum"},
    {metric::isl_counted, k_huggingface, "tokens of the synthetic prompt, averaged"},
    {metric::isl_counted, k_core, "token ids that were sent"},

    {"isl_reported", k_genai, k_none},
    {"isl_reported", k_guidellm, "usage of the answer, where the server sends it"},

    {metric::cache_share, k_genai, k_none},

    {metric::osl_counted, k_old_genai,
     "tokens of each response's text, tokenised alone and summed"},
    {metric::osl_counted, k_genai,
     "tokens of the joined text, retokenised: not the number of ids that the model generated"},
    {metric::osl_counted, k_aiperf, "tokens of the text, retokenised, reasoning included"},
    {metric::osl_counted, k_vllm,
     "the server's usage; without it, tokens of the text, retokenised"},
    {metric::osl_counted, k_guidellm,
     "the server's usage; without it, tokens of the text, retokenised, or events"},
    {metric::osl_counted, k_trtllm, "token ids"},
    {metric::osl_counted, k_core, "ids that the server sent, less the prompt's"},
    {metric::osl_counted, k_lmdeploy,
     "0.1: the server's count; main: the requested or reported length, and a retokenised one"},
    {metric::osl_counted, k_huggingface, "tokens of each delta's text, tokenised alone and summed"},
    {metric::osl_counted, k_llm_perf, "tokens of the text, retokenised"},

    {"osl_reported", k_genai, k_none},
    {"osl_reported", k_aiperf, "usage of the answer, where --use-server-token-count is given"},
    {"osl_reported", k_vllm, "usage of the answer, which is also its osl"},
    {"osl_reported", k_guidellm, "usage of the answer, which is also its osl"},

    {"server_queue_ms", k_genai, k_none},
    {"server_queue_ms", k_perf_analyzer,
     "average of the window from Triton's statistics of the model, not per request"},
    {"server_ttft_ms", k_genai, k_none},
    {"server_latency_ms", k_genai, k_none},
    {"server_latency_ms", k_perf_analyzer,
     "averages of queue, input, infer and output times over the window from Triton's statistics, "
     "not per request"},

    {metric::send_lag_ms, k_genai, k_none},
    {metric::send_lag_ms, k_perf_analyzer,
     "none; the share of requests more than 1 ms late, as a warning above 1 %"},
    {metric::send_lag_ms, k_aiperf,
     "reported for fixed schedules, else kept among internal metrics; the schedule restarts when "
     "it is more than 10 ms behind"},
    {metric::send_lag_ms, k_guidellm, "a delay of dispatch, since #1053"},
    {metric::send_lag_ms, k_huggingface,
     "none; requests leave at ticks of 10 ms, and a request without a free user is dropped with a "
     "warning"},

    {"client_cpu_share", k_genai, k_none},
    {"client_cpu_share", k_perf_analyzer,
     "its overhead, for a closed loop: the share of the window in which it did not wait"},
    {"server_cpu_share", k_genai, k_none},
    {"server_memory_gib_peak", k_genai, k_none},
    {"gpu_memory_gib_peak", k_genai,
     "gpu_memory_used in GB, of each GPU, from Triton's metrics page: mean and percentiles of "
     "samples, not the peak of the process"},
    {metric::power_w, k_genai,
     "gpu_power_usage of each GPU from Triton's metrics page, averaged over samples"},
    {metric::power_w, k_perf_analyzer,
     "average of each GPU from Triton's metrics page, with --collect-metrics"},
    {metric::energy_j_per_token, k_genai,
     "none; energy_consumption in MJ of each GPU since the driver began, from Triton's metrics "
     "page"},
};

constexpr Tool k_tools[] = {
    {"genai-perf", "genai-perf >= 24.06", "computed from perf_analyzer's export"},
    {"perf_analyzer", "perf_analyzer", "windows of its own choice; no token figures"},
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
     "responses of the last three stable windows / their length; every event of a streamed answer "
     "counts as one"},
    {k_pa, "perf_analyzer_request_count", "requests that ended in the last three stable windows"},
    {k_pa, "perf_analyzer_client_overhead_percent",
     "share of the window in which the client did not wait for the server; printed for a closed "
     "loop"},
    {k_pa, "perf_analyzer_client_send_us",
     "mean time to hand a request to the network; 0 over gRPC streams"},
    {k_pa, "perf_analyzer_client_recv_us", "mean time to read a response; 0 over gRPC streams"},
    {k_pa, "perf_analyzer_network_server_send_recv_us",
     "mean latency less queue and compute, which come from the server: for a model that sends many "
     "responses, most of the answer"},
    {k_pa, "perf_analyzer_server_queue_us",
     "growth of the model's queue time / number of requests, from Triton's statistics"},
    {k_pa, "perf_analyzer_server_compute_us",
     "for an ensemble: the three compute times of its models together"},
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
     "of the whole run"},
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
     "sum of isl / sum of latencies, over requests: not the server's throughput; it falls as the "
     "load rises"},
    {"llm-perf", "llm_perf_average_output_token_per_sec",
     "sum of osl / sum of latencies, over requests: not the server's throughput"},
    {"model-analyzer", "model_analyzer_server_queue_ms", "perf_analyzer's server queue time"},
    {"model-analyzer", "model_analyzer_server_compute_input_ms", "perf_analyzer's compute input"},
    {"model-analyzer", "model_analyzer_server_compute_infer_ms", "perf_analyzer's compute infer"},
    {"model-analyzer", "model_analyzer_server_compute_output_ms", "perf_analyzer's compute output"},
    {"model-analyzer", "model_analyzer_client_send_recv_ms", "perf_analyzer's request/response"},
    {"model-analyzer", "model_analyzer_response_wait_ms", "perf_analyzer's response wait"},
    {"aiconfigurator", metric::ttft_ms, "as the origin of the row measured it: unknown per row"},
    {"aiconfigurator", metric::tpot_ms, "as the origin of the row measured it: unknown per row"},
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

std::span<const Peer> peers() { return k_peers; }
std::span<const PeerFormula> peer_formulas() { return k_formulas; }

std::span<const Tool> tools() { return k_tools; }

const Tool* find_tool(std::string_view name) {
  const auto* found = std::ranges::find(k_tools, name, &Tool::name);
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
