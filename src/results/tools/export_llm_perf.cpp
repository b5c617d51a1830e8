#include "results/tools/export_llm_perf.hpp"

#include "bench/measure/statistics.hpp"
#include "results/tools/export_genai_perf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

namespace orch::record {
namespace {

using measure::RequestRecord;

constexpr double k_ms_in_s = 1e3;
constexpr int k_rule_width = 60;

std::string line(std::string_view name, double value) {
  return fmt::format("{}: {}\n", name, python_float(value));
}

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / measure::k_ns_per_ms / k_ms_in_s;
}

double latency_of(const RequestRecord& record) {
  return seconds(record.sent_ns, record.has_events() ? record.last_ns() : record.end_ns);
}

double ttft_of(const RequestRecord& record) {
  return record.streamed && record.has_events() ? seconds(record.sent_ns, record.first_ns())
                                                : latency_of(record);
}

// An answer without text has no tokens, whether or not they were counted.
std::optional<std::int64_t> osl_of(const RequestRecord& record) {
  const bool is_empty = record.answer.empty() && !record.spooled;
  return record.osl_counted || !is_empty ? record.osl_counted : 0;
}

std::optional<std::int64_t> isl_of(const RequestRecord& record) { return record.isl; }

struct Figures {
  std::vector<const RequestRecord*> answered;
  std::vector<double> ttft, latency;
};

// The line of a rate over FIGURES; "" where a request has no count.
std::string rate(std::string_view name, const Figures& figures,
                 std::optional<std::int64_t> (*count)(const RequestRecord&)) {
  const double time = std::accumulate(figures.latency.begin(), figures.latency.end(), 0.0);
  double tokens = 0;
  for (const RequestRecord* record : figures.answered) {
    const std::optional<std::int64_t> counted = count(*record);
    if (!counted) return "";
    tokens += static_cast<double>(*counted);
  }
  return time > 0 ? line(name, tokens / time) : "";
}

double throughput_of(const Measurement& measurement) {
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.row->name == "requests_per_s") return std::get<double>(metric.value);
  return 0;
}

}  // namespace

std::string llm_perf_title(std::string_view url, std::string_view protocol,
                           std::string_view model) {
  return fmt::format("triton_url: {}, protocol: {}, model: {}\n", url, protocol, model);
}

std::string llm_perf_block(const Measurement& measurement) {
  Figures figures;
  std::size_t sent = 0;
  for (const RequestRecord& record : measurement.records) {
    if (record.warmup) continue;
    ++sent;
    if (!record.ok()) continue;
    figures.answered.push_back(&record);
    figures.ttft.push_back(ttft_of(record));
    figures.latency.push_back(latency_of(record));
  }
  std::string out = fmt::format("{:-<{}}\nRequest concurrency: {}\n", "", k_rule_width,
                                measurement.load.concurrency);
  if (!figures.answered.empty()) {
    const measure::Statistics ttft = measure::statistics(figures.ttft);
    const measure::Statistics latency = measure::statistics(figures.latency);
    out += rate("average_input_token_per_sec", figures, isl_of);
    out += rate("average_output_token_per_sec", figures, osl_of);
    out += line("average_ttft", ttft.mean);
    out += line("average_latency", latency.mean);
    out += line("p99_ttft", ttft.p99);
    out += line("p99_latency", latency.p99);
  }
  out += fmt::format("payload and results: {} {}\n", sent, figures.answered.size());
  return out + fmt::format("throughput: {} infer/sec.\n", python_float(throughput_of(measurement)));
}

}  // namespace orch::record
