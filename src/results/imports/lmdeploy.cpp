#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/tool_names.hpp"

namespace orch::imports {

namespace {

// The results of LMDeploy's benchmark scripts: CSV up to 0.6.1 and from 0.9, JSON lines in between.

constexpr std::string_view k_lmdeploy = "lmdeploy";

// The CSV of profile_serving.py and profile_restful_api.py 0.1 to 0.6.1. `batch` is the number of
// client threads. The percentiles, which profile_throughput.py writes, are those of the time per
// token.
constexpr FigureKey k_old_figures[] = {
    {"RPS", metric::requests_per_s},
    {"RPM", "lmdeploy_requests_per_minute"},
    {"FTL(ave)(s)", metric::ttft_ms, "", k_ms_per_s},
    {"FTL(min)(s)", metric::ttft_ms, "min", k_ms_per_s},
    {"FTL(max)(s)", metric::ttft_ms, "max", k_ms_per_s},
    {"50%(s)", "lmdeploy_token_latency_ms", "p50", k_ms_per_s},
    {"75%(s)", "lmdeploy_token_latency_ms", "p75", k_ms_per_s},
    {"95%(s)", "lmdeploy_token_latency_ms", "p95", k_ms_per_s},
    {"99%(s)", "lmdeploy_token_latency_ms", "p99", k_ms_per_s},
    {"throughput(out tok/s)", metric::output_tps},
    {"throughput(total tok/s)", "lmdeploy_total_tps"},
    {"mem(GB)", "lmdeploy_memory_gb"},
};
constexpr ParameterKey k_old_parameters[] = {
    {"batch", "concurrency", matrix::Type::integer},
    {"num_prompts", "num_prompts", matrix::Type::integer},
    {"num_promts", "num_prompts", matrix::Type::integer},  // spelled this way in some releases
    {"prompt_tokens", "isl", matrix::Type::integer},
    {"completion_tokens", "osl", matrix::Type::integer},
};
constexpr Sheet k_lmdeploy_old = {k_lmdeploy, k_old_figures, k_old_parameters};

constexpr FigureKey k_lmdeploy_figures[] = {
    {"request_throughput", metric::requests_per_s},
    {"input_throughput", metric::input_tps},
    {"output_throughput", metric::output_tps},
    {"total_throughput", "lmdeploy_total_tps"},
    {"failed", "lmdeploy_failed"},
    {"completed", "lmdeploy_completed"},
    {"duration", "lmdeploy_duration_s"},
    {"total_input_tokens", "lmdeploy_total_input_tokens"},
    {"total_output_tokens", "lmdeploy_total_output_tokens"},
};
constexpr SeriesKey k_lmdeploy_series[] = {{"e2e_latency_ms", metric::request_latency_ms},
                                           {"ttft_ms", metric::ttft_ms},
                                           {"tpot_ms", metric::tpot_ms},
                                           {"itl_ms", metric::event_gap_ms}};
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

// The output of llm_perf.py, and of `orchestrate llm-perf`: a list of figures per concurrency.

constexpr std::string_view k_llm_perf = "llm-perf";

// The token rates of llm_perf.py are tokens over the sum of latencies: unlike our input_tps and
// output_tps, they are not the server's throughput.
constexpr FigureKey k_llm_perf_figures[] = {
    {"average_input_token_per_sec", "llm_perf_average_input_token_per_sec"},
    {"average_output_token_per_sec", "llm_perf_average_output_token_per_sec"},
    {"average_ttft", metric::ttft_ms, "", k_ms_per_s},
    {"average_latency", metric::request_latency_ms, "", k_ms_per_s},
    {"p99_ttft", metric::ttft_ms, "p99", k_ms_per_s},
    {"p99_latency", metric::request_latency_ms, "p99", k_ms_per_s},
    {"throughput", metric::requests_per_s},
};

struct Block {
  Reading reading{.tool = std::string(k_llm_perf)};
  Figures figures;
  bool any = false;
};

Status read_line(const Source& source, std::string_view line, int number, Block& block) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view name = trim(line.substr(0, colon));
  const auto key = std::ranges::find(k_llm_perf_figures, name, &FigureKey::theirs);
  if (key == std::end(k_llm_perf_figures)) return {};
  const auto value = number_after(line, ":");
  const Status set = value ? block.figures.set(key->figure, key->statistic, *value * key->factor)
                           : invalid("a number is needed here");
  block.any = true;
  return set ? set
             : Status(
                   invalid(fmt::format("{}:{}: {} {}: {}", source.name, number, quoted(name),
                                       quoted(trim(line.substr(colon + 1))), set.error().message)));
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
  const Sheet& sheet = is_old_lmdeploy(first_line(source.text)) ? k_lmdeploy_old : k_lmdeploy_new;
  return read_rows(source, k_lmdeploy,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) -> Status {
                     ORCH_TRY(read_row(sheet, table, row, reading));
                     judge(reading, outcome_of(reading));
                     return {};
                   });
}

// The script is a copy of SGLang's and writes the same names: only has_marks_of_sglang() tells
// their files apart.
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

bool is_llm_perf_text(const Source& source) {
  return source.text.find("average_ttft:") != std::string_view::npos &&
         source.text.find("average_latency:") != std::string_view::npos;
}

Result<std::vector<Reading>> read_llm_perf_text(const Source& source) {
  static constexpr std::string_view k_begin = "Request concurrency:";
  std::vector<Reading> readings;
  std::optional<std::string> model;
  Block block;
  const auto finish = [&] {
    if (!block.any) return;
    block.reading.figures = block.figures.take();
    block.reading.expect({"ttft_ms", metric::request_latency_ms, metric::requests_per_s,
                          metric::itl_ms, metric::output_tps});
    set_text(block.reading, "model", model);
    readings.push_back(std::move(block.reading));
    block = {};
  };
  int number = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    // The title line: "triton_url: HOST, protocol: grpc, model: ensemble".
    if (const auto at = line.find(", model: "); line.starts_with("triton_url:") && at < line.size())
      model = std::string(trim(line.substr(at + 9)));
    if (line.starts_with(k_begin)) {
      finish();
      const auto value = number_after(line, k_begin);
      if (!value || *value < 1 || *value > 1e9)
        return invalid(fmt::format("{}:{}: {}: a number of requests, at least 1, is needed here",
                                   source.name, number, quoted(line)));
      set_integer(block.reading, "concurrency", static_cast<std::int64_t>(*value));
      continue;
    }
    ORCH_TRY(read_line(source, line, number, block));
  }
  finish();
  return readings;
}

}  // namespace orch::imports
