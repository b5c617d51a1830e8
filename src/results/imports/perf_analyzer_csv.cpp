// The latency report of perf_analyzer (-f FILE, also with --verbose-csv), and the files of an
// ensemble's composing models, NAME_vVERSION.FILE.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/point_parameters.hpp"
#include "results/imports/perf_analyzer.hpp"

namespace orch::imports {

namespace {

struct ComposingModel {
  std::string name, version;
};

// "preprocessing_v1.latency.csv"; empty for a report of the whole server.
std::optional<ComposingModel> composing_model(const Source& source) {
  const std::string file = std::filesystem::path(source.name).filename().string();
  const auto dot = file.find('.');
  const auto cut = file.substr(0, dot).rfind("_v");
  if (dot == std::string::npos || cut == std::string::npos || cut == 0) return std::nullopt;
  const std::string version = file.substr(cut + 2, dot - cut - 2);
  if (version.empty() || !std::ranges::all_of(version, is_digit)) return std::nullopt;
  return ComposingModel{file.substr(0, cut), version};
}

Status set_csv_load(const CsvTable& table, std::size_t row, Reading& reading) {
  ORCH_ASSIGN(const auto concurrency, table.integer(row, "Concurrency"));
  ORCH_ASSIGN(const auto rate, table.number(row, "Request Rate"));
  if (concurrency && (*concurrency < 1 || *concurrency > k_most_of_anything))
    return table.refuse(row, "Concurrency", "a number of requests from 1 on is needed here");
  if (rate && *rate <= 0) return table.refuse(row, "Request Rate", "a rate is more than 0");
  set_integer(reading, "concurrency", concurrency);
  set_real(reading, "request_rate", rate);
  return {};
}

// "p99 latency" -> "p99".
std::optional<std::string_view> latency_percentile(std::string_view column) {
  static constexpr std::string_view k_end = " latency";
  if (column.starts_with('p') && column.ends_with(k_end))
    return column.substr(0, column.size() - k_end.size());
  return std::nullopt;
}

Status set_csv_figure(const CsvTable& table, std::size_t row, const std::string& column,
                      Figures& figures) {
  // One value per GPU, "GPU-1234:0.5;".
  if (column.find("GPU") != std::string::npos) return {};
  ORCH_ASSIGN(const auto value, table.number(row, column));
  if (!value) return {};
  Status set;
  if (column == "Inferences/Second") set = figures.set("requests_per_s", "", *value);
  else if (column == "Response Throughput")
    set = figures.set("perf_analyzer_responses_per_s", "", *value);
  else if (column == "Avg latency")
    set = figures.set("request_latency_ms", "", *value / k_us_per_ms);
  else if (const auto percentile = latency_percentile(column))
    set = figures.set("request_latency_ms", *percentile, *value / k_us_per_ms);
  else set = figures.set(name_of_theirs(k_perf_analyzer, column, "us"), "", *value);
  return set ? set : Status(table.refuse(row, column, set.error().message));
}

Status set_csv_figures(const CsvTable& table, std::size_t row, Reading& reading) {
  Figures figures;
  for (const std::string& column : table.columns())
    if (column != "Concurrency" && column != "Request Rate")
      ORCH_TRY(set_csv_figure(table, row, column, figures));
  reading.figures = figures.take();
  reading.expected = perf_analyzer_expected();
  return {};
}

// The CSV has no number of requests.
Status set_composing_model(const CsvTable& table, std::size_t row, const ComposingModel& model,
                           Reading& reading) {
  observe::ModelTimes times;
  times.model = model.name;
  times.version = model.version;
  const std::pair<const char*, std::optional<double> observe::ModelTimes::*> k_columns[] = {
      {"Server Queue", &observe::ModelTimes::queue_ms},
      {"Server Compute Input", &observe::ModelTimes::compute_input_ms},
      {"Server Compute Infer", &observe::ModelTimes::compute_infer_ms},
      {"Server Compute Output", &observe::ModelTimes::compute_output_ms}};
  double sum = 0;
  for (const auto& [column, member] : k_columns) {
    ORCH_ASSIGN(const auto value, table.number(row, column));
    if (!value) continue;
    times.*member = *value / k_us_per_ms;
    sum += *value / k_us_per_ms;
  }
  ORCH_ASSIGN(const auto overhead, table.number(row, "Network+Server Send/Recv"));
  times.request_ms = sum + overhead.value_or(0) / k_us_per_ms;
  reading.models.push_back(std::move(times));
  reading.warnings.push_back(fmt::format(
      "perf_analyzer's CSV of the composing model {} has no number of requests: it reads 0",
      model.name));
  return {};
}

}  // namespace

bool is_perf_analyzer_csv(const Source& source) {
  return source.text.starts_with("Concurrency,Inferences/Second,") ||
         source.text.starts_with("Request Rate,Inferences/Second,");
}

Result<std::vector<Reading>> read_perf_analyzer_csv(const Source& source) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows));
  const auto model = composing_model(source);
  std::vector<Reading> readings;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Reading reading{.tool = std::string(k_perf_analyzer)};
    ORCH_TRY(set_csv_load(table, row, reading));
    ORCH_TRY(model ? set_composing_model(table, row, *model, reading)
                   : set_csv_figures(table, row, reading));
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace orch::imports
