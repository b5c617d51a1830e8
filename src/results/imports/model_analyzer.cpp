// Model Analyzer's table of inferences, metrics-model-inference.csv. Which columns it has is chosen
// in Model Analyzer's configuration.
#include "core/base/text.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

namespace {

constexpr FigureKey k_model_analyzer_figures[] = {
    {"Throughput (infer/sec)", "requests_per_s"},
    {"Output Token Throughput (infer/sec)", "output_tps"},
    {"Avg Latency (ms)", "request_latency_ms"},
    {"p90 Latency (ms)", "request_latency_ms", "p90"},
    {"p95 Latency (ms)", "request_latency_ms", "p95"},
    {"p99 Latency (ms)", "request_latency_ms", "p99"},
    {"Avg Time To First Token (ms)", "ttft_ms"},
    {"Min Time To First Token (ms)", "ttft_ms", "min"},
    {"Max Time To First Token (ms)", "ttft_ms", "max"},
    {"p50 Time To First Token (ms)", "ttft_ms", "p50"},
    {"p90 Time To First Token (ms)", "ttft_ms", "p90"},
    {"p95 Time To First Token (ms)", "ttft_ms", "p95"},
    {"p99 Time To First Token (ms)", "ttft_ms", "p99"},
    {"Avg Inter Token Latency (ms)", "itl_ms"},
    {"Min Inter Token Latency (ms)", "itl_ms", "min"},
    {"Max Inter Token Latency (ms)", "itl_ms", "max"},
    {"p50 Inter Token Latency (ms)", "itl_ms", "p50"},
    {"p90 Inter Token Latency (ms)", "itl_ms", "p90"},
    {"p95 Inter Token Latency (ms)", "itl_ms", "p95"},
    {"p99 Inter Token Latency (ms)", "itl_ms", "p99"},
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

bool is_model_analyzer_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return header.starts_with("Model,") && header.find("(infer/sec)") != std::string_view::npos;
}

Result<std::vector<Reading>> read_model_analyzer_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Reading reading{.tool = std::string(k_model_analyzer_sheet.tool)};
    ORCH_TRY(read_row(k_model_analyzer_sheet, table, row, reading));
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace orch::imports
