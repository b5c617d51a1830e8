#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"

namespace orch::imports {

namespace {

// The statistics of tensorrtllm_backend's benchmark_core_model.py: its printed table, and the CSV
// of --op-stats-csv, which names two statistics differently.

constexpr std::string_view k_core_model = "benchmark_core_model";

constexpr FigureKey k_core_model_figures[] = {
    {"Requests/Sec", metric::requests_per_s},
    {"OP tokens/sec", metric::output_tps},
    {"Avg. latency (ms)", metric::request_latency_ms},
    {"P99 latency (ms)", metric::request_latency_ms, "p99"},
    {"P90 latency (ms)", metric::request_latency_ms, "p90"},
    {"Avg. IP tokens per request", metric::isl_counted},
    {"Avg. Input tokens per request", metric::isl_counted},
    {"Avg. OP tokens per request", metric::osl_counted},
    {"Avg. Output tokens per request", metric::osl_counted},
    {"Avg. InFlight requests", "benchmark_core_model_in_flight"},
    {"Total latency (ms)", "benchmark_core_model_total_latency_ms"},
    {"Total requests", "benchmark_core_model_total_requests"},
};
constexpr std::string_view k_core_model_expected[] = {
    metric::requests_per_s, metric::output_tps,  metric::request_latency_ms,
    metric::isl_counted,    metric::osl_counted, metric::ttft_ms,
    metric::itl_ms};

// Whether FIGURE counts output tokens: the script subtracts the number of the prompt's ids from
// that of the answer's, and the result is negative if the server does not repeat the prompt.
bool may_be_negative(std::string_view figure) {
  return figure == metric::output_tps || figure == metric::osl_counted;
}

constexpr char k_in_flight[] =
    "benchmark_core_model prints 0 in-flight requests always: the script never counts them";

Reading core_model_reading(Figures& figures) {
  Reading reading{.tool = std::string(k_core_model)};
  reading.figures = figures.take();
  reading.expect({std::begin(k_core_model_expected), std::end(k_core_model_expected)});
  reading.warnings.emplace_back(k_in_flight);
  return reading;
}

const FigureKey* core_model_key(std::string_view theirs) {
  const auto found = std::ranges::find(k_core_model_figures, theirs, &FigureKey::theirs);
  return found == std::end(k_core_model_figures) ? nullptr : found;
}

// Model Analyzer's table of inferences, metrics-model-inference.csv. Its columns are chosen in
// Model Analyzer's configuration.

constexpr FigureKey k_model_analyzer_figures[] = {
    {"Throughput (infer/sec)", metric::requests_per_s},
    {"Output Token Throughput (infer/sec)", metric::output_tps},
    {"Avg Latency (ms)", metric::request_latency_ms},
    {"p90 Latency (ms)", metric::request_latency_ms, "p90"},
    {"p95 Latency (ms)", metric::request_latency_ms, "p95"},
    {"p99 Latency (ms)", metric::request_latency_ms, "p99"},
    {"Avg Time To First Token (ms)", metric::ttft_ms},
    {"Min Time To First Token (ms)", metric::ttft_ms, "min"},
    {"Max Time To First Token (ms)", metric::ttft_ms, "max"},
    {"p50 Time To First Token (ms)", metric::ttft_ms, "p50"},
    {"p90 Time To First Token (ms)", metric::ttft_ms, "p90"},
    {"p95 Time To First Token (ms)", metric::ttft_ms, "p95"},
    {"p99 Time To First Token (ms)", metric::ttft_ms, "p99"},
    {"Avg Inter Token Latency (ms)", metric::itl_ms},
    {"Min Inter Token Latency (ms)", metric::itl_ms, "min"},
    {"Max Inter Token Latency (ms)", metric::itl_ms, "max"},
    {"p50 Inter Token Latency (ms)", metric::itl_ms, "p50"},
    {"p90 Inter Token Latency (ms)", metric::itl_ms, "p90"},
    {"p95 Inter Token Latency (ms)", metric::itl_ms, "p95"},
    {"p99 Inter Token Latency (ms)", metric::itl_ms, "p99"},
    {"Response Wait Time (ms)", "model_analyzer_response_wait_ms"},
    {"Client Send/Recv (ms)", "model_analyzer_client_send_recv_ms"},
    {"Server Queue time (ms)", "model_analyzer_server_queue_ms"},
    {"Server Compute Input time (ms)", "model_analyzer_server_compute_input_ms"},
    {"Server Compute Infer time (ms)", "model_analyzer_server_compute_infer_ms"},
    {"Server Compute Output time (ms)", "model_analyzer_server_compute_output_ms"},
};
constexpr ParameterKey k_model_analyzer_parameters[] = {
    {"Model", "model"},
    {"Batch", "batch", matrix::Type::integer},
    {"Concurrency", "concurrency", matrix::Type::integer},
    {"Request Rate", "request_rate", matrix::Type::real},
    {"Model Config Path", "model_config_path"},
};
constexpr Sheet k_model_analyzer_sheet = {"model-analyzer", k_model_analyzer_figures,
                                          k_model_analyzer_parameters};

}  // namespace

bool is_core_model_table(const Source& source) {
  return source.text.find("OP tokens/sec") != std::string_view::npos &&
         source.text.find('|') != std::string_view::npos;
}

// Each table, "| Requests/Sec | 40.82 |", is a measurement; the log may hold several.
Result<std::vector<Reading>> read_core_model_table(const Source& source) {
  std::vector<Reading> readings;
  Figures figures;
  int number = 0, figures_read = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    const auto cells = split(trim(line), '|');
    if (cells.size() < 3) continue;
    const std::string_view name = trim(cells[1]), text = trim(cells[2]);
    const FigureKey* key = core_model_key(name);
    if (key == nullptr) continue;
    if (name == "Requests/Sec" && figures_read > 0) readings.push_back(core_model_reading(figures));
    const auto value = to_number(text);
    const Status set =
        value ? figures.set(key->figure, key->statistic, *value, may_be_negative(key->figure))
              : invalid("a number is needed here");
    if (!set)
      return invalid(fmt::format("{}:{}: {} {}: {}", source.name, number, quoted(name),
                                 quoted(text), set.error().message));
    ++figures_read;
  }
  if (figures_read > 0) readings.push_back(core_model_reading(figures));
  if (readings.empty())
    return invalid(
        fmt::format("{}: no row of a table has a statistic; import the whole output of "
                    "benchmark_core_model.py",
                    source.name));
  return readings;
}

bool is_core_model_csv(const Source& source) {
  return first_line(source.text).find("OP tokens/sec") != std::string_view::npos &&
         first_line(source.text).find(',') != std::string_view::npos;
}

Result<std::vector<Reading>> read_core_model_csv(const Source& source) {
  return read_rows(source, k_core_model,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) -> Status {
                     Figures figures;
                     for (const std::string& column : table.columns()) {
                       const FigureKey* key = core_model_key(column);
                       if (key == nullptr) continue;
                       ORCH_ASSIGN(const auto value, table.number(row, column));
                       if (!value) continue;
                       const Status set = figures.set(key->figure, key->statistic, *value,
                                                      may_be_negative(key->figure));
                       if (!set) return table.refuse(row, column, set.error().message);
                     }
                     reading = core_model_reading(figures);
                     return {};
                   });
}

bool is_model_analyzer_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return header.starts_with("Model,") && header.find("(infer/sec)") != std::string_view::npos;
}

Result<std::vector<Reading>> read_model_analyzer_csv(const Source& source) {
  const Sheet& sheet = k_model_analyzer_sheet;
  return read_rows(source, sheet.tool,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) {
                     return read_row(sheet, table, row, reading);
                   });
}

}  // namespace orch::imports
