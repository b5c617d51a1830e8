// The JSON lines of SGLang's bench_serving.py --output-file.
#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/tool_names.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_sglang = "sglang";

constexpr FigureKey k_sglang_figures[] = {
    {"request_throughput", metric::requests_per_s},
    {"input_throughput", metric::input_tps},
    {"output_throughput", metric::output_tps},
    {"output_throughput_retokenized", "_output_retokenized_tps"},
    {"total_throughput", "_total_tps"},
    {"total_throughput_retokenized", "_total_retokenized_tps"},
    {"completed", "_completed"},
    {"failed", "_failed"},
    {"duration", "_duration_s"},
    {"concurrency", "_mean_concurrency"},
    {"accept_length", "_accept_length"},
    {"total_input_tokens", "_total_input_tokens"},
    {"total_input_text_tokens", "_total_input_text_tokens"},
    {"total_input_vision_tokens", "_total_input_vision_tokens"},
    {"total_output_tokens", "_total_output_tokens"},
    {"total_output_tokens_retokenized", "_total_output_tokens_retokenized"},
    {"max_output_tokens_per_s", "_max_output_tps"},
    {"max_concurrent_requests", "_max_concurrent_requests"},
};
// The script's ITL is the time between neighbouring events. Answers of SGLang's own interface state
// how many tokens an event has; there the time is divided among the tokens.
constexpr SeriesKey k_sglang_series[] = {{"e2e_latency_ms", metric::request_latency_ms},
                                         {"ttft_ms", metric::ttft_ms},
                                         {"tpot_ms", metric::tpot_ms},
                                         {"itl_ms", metric::event_gap_ms}};
constexpr SeriesKey k_sglang_native_series[] = {{"e2e_latency_ms", metric::request_latency_ms},
                                                {"ttft_ms", metric::ttft_ms},
                                                {"tpot_ms", metric::tpot_ms},
                                                {"itl_ms", "_itl_ms"}};
constexpr ParameterKey k_sglang_parameters[] = {
    {"backend", "backend"},
    {"model", "model"},
    {"model_id", "model"},
    {"dataset_name", "dataset"},
    {"request_rate", "request_rate", matrix::Type::real},
    {"max_concurrency", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"sharegpt_output_len", "sharegpt_output_len", matrix::Type::integer},
};
// Keys that are read separately or ignored; the lengths and the server are read separately.
constexpr std::string_view k_sglang_passed[] = {"random_input_len",
                                                "random_output_len",
                                                "random_range_ratio",
                                                "server_info",
                                                "input_lens",
                                                "output_lens",
                                                "ttfts",
                                                "itls",
                                                "errors",
                                                "generated_texts",
                                                "start_times"};
constexpr Sheet k_sglang_sheet = {k_sglang, k_sglang_figures, k_sglang_parameters, k_sglang_series,
                                  {},       k_sglang_passed};
constexpr Sheet k_sglang_native_sheet = {
    k_sglang, k_sglang_figures, k_sglang_parameters, k_sglang_native_series, {}, k_sglang_passed};

// Reads the lengths of random prompts, only for random datasets: the script writes them for every
// dataset.
void read_random_lengths(const Node& line, Reading& reading) {
  if (!line.at("dataset_name").is_text() || !line.at("dataset_name").text()->starts_with("random"))
    return;
  set_integer(reading, "isl", line.at("random_input_len").integer(0, k_most_of_anything));
  set_integer(reading, "osl", line.at("random_output_len").integer(0, k_most_of_anything));
  set_real(reading, "random_range_ratio", line.at("random_range_ratio").number());
}

// Reads the arguments of the server. Behind a router there are several servers, of which the first
// is used.
void read_sglang_server(Node server, Reading& reading) {
  if (server.at("decode").is_list() && !server.at("decode").items().empty())
    server = server.at("decode").items()[0];
  if (!server.is_object()) return;
  const Node model = server.at("model_path");
  if (model.is_text()) set_text(reading, "model", model.text());
  for (const char* name : {"tp", "pp", "dp", "ep"}) {
    const Node size = server.at(std::string(name) + "_size");
    if (size.is_number()) set_node(reading, name, size);
  }
}

Reading read_sglang(const Node& line) {
  Reading reading{.tool = std::string(k_sglang)};
  const Node backend = line.at("backend");
  const bool is_native =
      backend.is_text() && (backend.text() == "sglang" || backend.text() == "sglang-native");
  read_object(is_native ? k_sglang_native_sheet : k_sglang_sheet, line, reading);
  read_random_lengths(line, reading);
  read_sglang_server(line.at("server_info"), reading);
  judge(reading, outcome_of(reading, count_errors(line.at("errors"))));
  warn_of_no_starts(line.at("ttfts"), reading);
  return reading;
}

// Whether TEXT is from LMDeploy's script, a copy of the first releases of SGLang's.
bool is_for_lmdeploy(std::string_view text) {
  static constexpr std::string_view k_backend = "\"backend\"";
  const auto at = text.find(k_backend);
  if (at == std::string_view::npos) return false;
  const auto value = text.find_first_not_of(" :", at + k_backend.size());
  return value != std::string_view::npos && text.substr(value).starts_with("\"lmdeploy");
}

}  // namespace

bool has_marks_of_sglang(std::string_view text) {
  const auto has = [&](std::string_view key) { return has_key(text, key); };
  if (has("server_info") || has("accept_length")) return true;
  const bool has_old_marks = has("mean_e2e_latency_ms") || has("median_e2e_latency_ms") ||
                             has("total_output_tokens_retokenized");
  return has_old_marks &&
         (has("max_concurrency") || has("std_e2e_latency_ms") || !is_for_lmdeploy(text));
}

bool is_sglang_jsonl(const Source& source) {
  const auto has = [&](std::string_view key) { return has_key(source.text, key); };
  return is_json(source.text) && has_marks_of_sglang(source.text) && has("output_throughput") &&
         (has("median_ttft_ms") || has("mean_ttft_ms") || has("median_e2e_latency_ms") ||
          has("mean_e2e_latency_ms"));
}

Result<std::vector<Reading>> read_sglang_jsonl(const Source& source) {
  return read_objects(source, read_sglang);
}

}  // namespace orch::imports
