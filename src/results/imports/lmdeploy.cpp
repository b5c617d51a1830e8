// The results of LMDeploy's benchmark scripts: CSV to 0.6.1 and from 0.9, JSON lines between.
#include "core/base/text.hpp"
#include "results/imports/failures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/kept_requests.hpp"
#include "results/imports/point_parameters.hpp"
#include "results/imports/sglang.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_lmdeploy = "lmdeploy";

// Of profile_serving.py and profile_restful_api.py 0.1 to 0.6.1. `batch` is the number of client
// threads. The percentiles are of the time per token (profile_throughput.py).
constexpr FigureKey k_old_figures[] = {
    {"RPS", "requests_per_s"},
    {"RPM", "lmdeploy_requests_per_minute"},
    {"FTL(ave)(s)", "ttft_ms", "", k_ms_per_s},
    {"FTL(min)(s)", "ttft_ms", "min", k_ms_per_s},
    {"FTL(max)(s)", "ttft_ms", "max", k_ms_per_s},
    {"50%(s)", "lmdeploy_token_latency_ms", "p50", k_ms_per_s},
    {"75%(s)", "lmdeploy_token_latency_ms", "p75", k_ms_per_s},
    {"95%(s)", "lmdeploy_token_latency_ms", "p95", k_ms_per_s},
    {"99%(s)", "lmdeploy_token_latency_ms", "p99", k_ms_per_s},
    {"throughput(out tok/s)", "output_tps"},
    {"throughput(total tok/s)", "lmdeploy_total_tps"},
    {"mem(GB)", "lmdeploy_memory_gb"},
};
constexpr ParameterKey k_old_parameters[] = {
    {"batch", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"num_promts", "num_prompts", matrix::Type::integer},  // as some releases spell it
    {"prompt_tokens", "isl", matrix::Type::integer},
    {"completion_tokens", "osl", matrix::Type::integer},
};
constexpr Sheet k_lmdeploy_old = {k_lmdeploy, k_old_figures, k_old_parameters};

constexpr FigureKey k_lmdeploy_figures[] = {
    {"request_throughput", "requests_per_s"},
    {"input_throughput", "input_tps"},
    {"output_throughput", "output_tps"},
    {"total_throughput", "lmdeploy_total_tps"},
    {"failed", "lmdeploy_failed"},
    {"completed", "lmdeploy_completed"},
    {"duration", "lmdeploy_duration_s"},
    {"total_input_tokens", "lmdeploy_total_input_tokens"},
    {"total_output_tokens", "lmdeploy_total_output_tokens"},
};
constexpr SeriesKey k_lmdeploy_series[] = {{"e2e_latency_ms", "request_latency_ms"},
                                           {"ttft_ms", "ttft_ms"},
                                           {"tpot_ms", "tpot_ms"},
                                           {"itl_ms", "event_gap_ms"}};
constexpr ParameterKey k_lmdeploy_parameters[] = {
    {"backend", "backend"},
    {"dataset_name", "dataset"},
    {"random_input_len", "isl", matrix::Type::integer},
    {"random_output_len", "osl", matrix::Type::integer},
    {"random_range_ratio", "random_range_ratio", matrix::Type::real},
    {"sharegpt_output_len", "sharegpt_output_len", matrix::Type::integer},
    {"request_rate", "request_rate", matrix::Type::real},
    {"concurrency", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"num_promts", "num_prompts", matrix::Type::integer},
};
constexpr Sheet k_lmdeploy_new = {k_lmdeploy, k_lmdeploy_figures, k_lmdeploy_parameters,
                                  k_lmdeploy_series};

bool is_old_lmdeploy(std::string_view header) {
  return header.find("FTL(ave)(s)") != std::string_view::npos ||
         header.starts_with("batch,num_pro");
}

}  // namespace

bool is_lmdeploy_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return is_old_lmdeploy(header) ||
         (!is_json(header) && header.find("output_throughput") != std::string_view::npos &&
          header.find("mean_ttft_ms") != std::string_view::npos &&
          header.find("completed") != std::string_view::npos &&
          header.find("max_concurrency") == std::string_view::npos &&
          header.find("accept_length") == std::string_view::npos);
}

Result<std::vector<Reading>> read_lmdeploy_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Reading reading{.tool = std::string(k_lmdeploy)};
    ORCH_TRY(read_row(is_old_lmdeploy(first_line(source.text)) ? k_lmdeploy_old : k_lmdeploy_new,
                      table, row, reading));
    judge(reading, outcome_of(reading));
    readings.push_back(std::move(reading));
  }
  return readings;
}

// SGLang's script, of which this is a copy, writes the same names: the backend tells them apart.
bool is_lmdeploy_jsonl(const Source& source) {
  const std::string_view first = first_line(source.text);
  return first.starts_with('{') && has_key(first, "output_throughput") &&
         has_key(first, "dataset_name") && !has_marks_of_sglang(first);
}

Result<std::vector<Reading>> read_lmdeploy_jsonl(const Source& source) {
  return read_objects(source, [](const Node& line) {
    Reading reading{.tool = std::string(k_lmdeploy)};
    read_object(k_lmdeploy_new, line, reading);
    judge(reading, outcome_of(reading));
    return reading;
  });
}

}  // namespace orch::imports
