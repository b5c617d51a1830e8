#include "bench/measure/metric_names.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/sheet.hpp"
#include "results/imports/tool_names.hpp"

namespace orch::imports {

namespace {

// The latency report of perf_analyzer (-f FILE, also with --verbose-csv), and the files of an
// ensemble's composing models, NAME_vVERSION.FILE.

struct ComposingModel {
  std::string name, version;
};

// The model of a file such as "preprocessing_v1.latency.csv"; nullopt for a report on the whole
// server.
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
    return table.refuse(row, "Concurrency", "a number of requests, at least 1, is needed here");
  if (rate && *rate <= 0) return table.refuse(row, "Request Rate", "a rate must be above 0");
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
  // Skips columns with one value per GPU, "GPU-1234:0.5;".
  if (column.find("GPU") != std::string::npos) return {};
  ORCH_ASSIGN(const auto value, table.number(row, column));
  if (!value) return {};
  Status set;
  if (column == "Inferences/Second") set = figures.set(metric::requests_per_s, "", *value);
  else if (column == "Response Throughput")
    set = figures.set("perf_analyzer_responses_per_s", "", *value);
  else if (column == "Avg latency")
    set = figures.set(metric::request_latency_ms, "", *value / k_us_per_ms);
  else if (const auto percentile = latency_percentile(column))
    set = figures.set(metric::request_latency_ms, *percentile, *value / k_us_per_ms);
  else set = figures.set(name_of_theirs(k_perf_analyzer, column, "us"), "", *value);
  return set ? set : Status(table.refuse(row, column, set.error().message));
}

Status set_csv_figures(const CsvTable& table, std::size_t row, Reading& reading) {
  Figures figures;
  for (const std::string& column : table.columns())
    if (column != "Concurrency" && column != "Request Rate")
      ORCH_TRY(set_csv_figure(table, row, column, figures));
  reading.figures = figures.take();
  reading.expect(perf_analyzer_expected());
  return {};
}

// Sets the times of a composing model. The CSV does not state the number of requests.
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

// The output of perf_analyzer: for each load, the figures of the client, of the model, and of an
// ensemble's composing models.

// Reads the report of one load.
class LoadReader {
 public:
  LoadReader(std::string_view file, Reading& reading) : file_(file), reading_(reading) {}

  Status take(std::string_view line, int number) {
    const std::string_view words = trim(line);
    if (words == "Client:") part_ = Part::client;
    else if (words == "Server:") part_ = Part::server;
    else if (words == "Composing models:") part_ = Part::models;
    else if (words == "Server Prometheus Metrics:") part_ = Part::none;
    else if (part_ == Part::client) return named(take_client(words), number, words);
    else if (part_ == Part::server) return named(take_server(words), number, words);
    else if (part_ == Part::models) take_model(words);
    return {};
  }
  bool has_client() const { return has_client_; }
  std::vector<record::NamedMetric> figures() { return figures_.take(); }

 private:
  enum class Part { none, client, server, models };

  Status named(const Status& status, int number, std::string_view line) const {
    return status ? status
                  : Status(invalid(fmt::format("{}:{}: {}: {}", file_, number, quoted(line),
                                               status.error().message)));
  }

  Status take_client(std::string_view line) {
    has_client_ = true;
    if (const auto count = number_after(line, "Request count:"))
      return figures_.set("perf_analyzer_request_count", "", *count);
    if (line.starts_with("Throughput:"))
      return set(metric::requests_per_s, "", number_after(line, "Throughput:"));
    if (const auto rate = number_after(line, "Response Throughput:"))
      return figures_.set("perf_analyzer_responses_per_s", "", *rate);
    if (const auto share = number_after(line, "Avg client overhead:"))
      return figures_.set("perf_analyzer_client_overhead_percent", "", *share);
    if (const auto mean = number_after(line, "Avg latency:")) {
      ORCH_TRY(figures_.set(metric::request_latency_ms, "", *mean / k_us_per_ms));
      const auto sd = number_after(line, "standard deviation");
      return sd ? figures_.set(metric::request_latency_ms, "sd", *sd / k_us_per_ms) : Status();
    }
    const auto cut = line.find(" latency:");
    if (line.starts_with('p') && cut != std::string_view::npos)
      if (const auto value = number_after(line, " latency:"))
        return figures_.set(metric::request_latency_ms, line.substr(0, cut), *value / k_us_per_ms);
    return {};
  }

  Status take_server(std::string_view line) {
    if (!line.starts_with("Avg request latency:")) return {};
    ORCH_TRY(set("perf_analyzer_server_request_latency_us", "",
                 number_after(line, "Avg request latency:")));
    ORCH_TRY(set("perf_analyzer_server_queue_us", "", number_after(line, "queue")));
    // An ensemble's line has one time for all three steps.
    const auto compute = number_after(line, "+ compute");
    if (compute) return figures_.set("perf_analyzer_server_compute_us", "", *compute);
    for (const char* step : {"compute input", "compute infer", "compute output"})
      ORCH_TRY(set(name_of_theirs(k_perf_analyzer, fmt::format("server {}", step), "us"), "",
                   number_after(line, step)));
    return {};
  }

  // Begins a composing model: "preprocessing, version: 1", followed by its counts and times.
  void take_model(std::string_view line) {
    static constexpr std::string_view k_version = ", version:";
    if (const auto cut = line.find(k_version); cut != std::string_view::npos) {
      observe::ModelTimes model;
      model.model = line.substr(0, cut);
      model.version = trim(line.substr(cut + k_version.size()));
      reading_.models.push_back(std::move(model));
      return;
    }
    if (reading_.models.empty()) return;
    observe::ModelTimes& model = reading_.models.back();
    const auto count = [&](std::string_view words, std::uint64_t& into) {
      const auto value = number_after(line, words);
      if (value && *value >= 0 && *value < 1e15) into = static_cast<std::uint64_t>(*value);
    };
    count("Inference count:", model.inferences);
    count("Execution count:", model.executions);
    count("Successful request count:", model.requests);
    const auto time = [&](std::string_view words, std::optional<double>& into) {
      const auto value = number_after(line, words);
      if (value && *value >= 0) into = *value / k_us_per_ms;
    };
    time("Avg request latency:", model.request_ms);
    time("queue", model.queue_ms);
    time("compute input", model.compute_input_ms);
    time("compute infer", model.compute_infer_ms);
    time("compute output", model.compute_output_ms);
  }

  Status set(std::string_view name, std::string_view statistic, std::optional<double> value) {
    return value ? figures_.set(name, statistic, *value) : Status();
  }

  std::string_view file_;
  Reading& reading_;
  Figures figures_;
  Part part_ = Part::none;
  bool has_client_ = false;
};

// Sets the parameters of the load that LINE announces; false if it announces none.
bool begins_load(std::string_view line, Reading& reading) {
  if (line.starts_with("Request concurrency:")) {
    const auto value = number_after(line, "Request concurrency:");
    if (value && *value >= 1 && *value < 1e12)
      set_integer(reading, "concurrency", static_cast<std::int64_t>(*value));
    return value.has_value();
  }
  const auto rate = number_after(line, "Request Rate:");
  if (!line.starts_with("Request Rate:") || !rate) return false;
  set_real(reading, "request_rate", *rate);
  return true;
}

}  // namespace

bool is_perf_analyzer_csv(const Source& source) {
  return source.text.starts_with("Concurrency,Inferences/Second,") ||
         source.text.starts_with("Request Rate,Inferences/Second,");
}

Result<std::vector<Reading>> read_perf_analyzer_csv(const Source& source) {
  const auto model = composing_model(source);
  return read_rows(source, k_perf_analyzer,
                   [&](const CsvTable& table, std::size_t row, Reading& reading) -> Status {
                     ORCH_TRY(set_csv_load(table, row, reading));
                     return model ? set_composing_model(table, row, *model, reading)
                                  : set_csv_figures(table, row, reading);
                   });
}

bool is_perf_analyzer_text(const Source& source) {
  return source.text.find("*** Measurement Settings ***") != std::string_view::npos ||
         (source.text.find("Avg request latency:") != std::string_view::npos &&
          source.text.find("  Client:") != std::string_view::npos);
}

Result<std::vector<Reading>> read_perf_analyzer_text(const Source& source) {
  const auto lines = lines_of(source.text);
  std::vector<Reading> readings;
  for (std::size_t at = 0; at < lines.size();) {
    Reading reading{.tool = std::string(k_perf_analyzer)};
    if (!begins_load(lines[at++], reading)) continue;
    LoadReader reader(source.name, reading);
    Reading next;
    while (at < lines.size() && !begins_load(lines[at], next)) {
      ORCH_TRY(reader.take(lines[at], static_cast<int>(at) + 1));
      ++at;
    }
    if (!reader.has_client()) continue;  // the load was interrupted or did not become stable
    reading.figures = reader.figures();
    reading.expect(perf_analyzer_expected());
    readings.push_back(std::move(reading));
  }
  if (readings.empty())
    return invalid(
        fmt::format("{}: no load has a 'Client:' report; perf_analyzer ended before its "
                    "first measurement was complete",
                    source.name));
  return readings;
}

}  // namespace orch::imports
