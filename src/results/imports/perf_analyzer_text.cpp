// What perf_analyzer prints: per load the client's figures, those of the model, and of the
// composing models of an ensemble.
#include <fmt/format.h>

#include "core/base/text.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/point_parameters.hpp"
#include "results/imports/perf_analyzer.hpp"
#include "results/imports/text_lines.hpp"

namespace orch::imports {

namespace {

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
      return set("requests_per_s", "", number_after(line, "Throughput:"));
    if (const auto rate = number_after(line, "Response Throughput:"))
      return figures_.set("perf_analyzer_responses_per_s", "", *rate);
    if (const auto share = number_after(line, "Avg client overhead:"))
      return figures_.set("perf_analyzer_client_overhead_percent", "", *share);
    if (const auto mean = number_after(line, "Avg latency:")) {
      ORCH_TRY(figures_.set("request_latency_ms", "", *mean / k_us_per_ms));
      const auto sd = number_after(line, "standard deviation");
      return sd ? figures_.set("request_latency_ms", "sd", *sd / k_us_per_ms) : Status();
    }
    const auto cut = line.find(" latency:");
    if (line.starts_with('p') && cut != std::string_view::npos)
      if (const auto value = number_after(line, " latency:"))
        return figures_.set("request_latency_ms", line.substr(0, cut), *value / k_us_per_ms);
    return {};
  }

  Status take_server(std::string_view line) {
    if (!line.starts_with("Avg request latency:")) return {};
    ORCH_TRY(set("perf_analyzer_server_request_latency_us", "",
                 number_after(line, "Avg request latency:")));
    ORCH_TRY(set("perf_analyzer_server_queue_us", "", number_after(line, "queue")));
    // Of an ensemble, the three steps together.
    const auto compute = number_after(line, "+ compute");
    if (compute) return figures_.set("perf_analyzer_server_compute_us", "", *compute);
    for (const char* step : {"compute input", "compute infer", "compute output"})
      ORCH_TRY(set(name_of_theirs(k_perf_analyzer, fmt::format("server {}", step), "us"), "",
                   number_after(line, step)));
    return {};
  }

  // "preprocessing, version: 1", and below it the counts and times.
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

// The load that LINE begins, as parameters; empty for any other line.
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
    if (!reader.has_client()) continue;  // it was interrupted, or not stable
    reading.figures = reader.figures();
    reading.expected = perf_analyzer_expected();
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
