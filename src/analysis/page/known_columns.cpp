#include "analysis/page/known_columns.hpp"

#include "bench/measure/statistic_names.hpp"

#include <algorithm>

namespace orch::report {

namespace {

using page::Better;

constexpr KnownMetric k_known_metrics[] = {
    {"output_tps", "output throughput", "tokens/s", Better::higher, "mean"},
    {"output_tps_per_gpu", "throughput per GPU", "tokens/s", Better::higher, "mean"},
    {"requests_per_s", "requests per second", "1/s", Better::higher, ""},
    {"goodput_rps", "goodput", "requests/s", Better::higher, "mean"},
    {"ttft_ms", "TTFT", "ms", Better::lower, "mean p99"},
    {"ttft_ms_intended", "TTFT from schedule", "ms", Better::lower, "mean p99"},
    {"itl_ms", "ITL", "ms", Better::lower, "mean"},
    {"tpot_ms", "TPOT", "ms", Better::lower, ""},
    {"request_latency_ms", "request latency", "ms", Better::lower, "mean p99"},
    {"request_latency_ms_intended", "request latency from schedule", "ms", Better::lower,
     "mean p99"},
    {"output_tps_per_user", "throughput per user", "tokens/s", Better::higher, ""},
    {"error_rate", "error rate", "", Better::lower, ""},
    {"score_exact", "score (exact)", "", Better::higher, "mean"},
    {"score_normalized", "score (normalized)", "", Better::higher, "mean"},
    {"score_f1", "score (f1)", "", Better::higher, "mean"},
    {"score_rouge_l", "score (rouge_l)", "", Better::higher, "mean"},
    {"score_numeric", "score (numeric)", "", Better::higher, "mean"},
    {"cache_share", "cached prompts", "", Better::neither, ""},
    {"energy_j_per_token", "energy per token", "J", Better::lower, "mean"},
    {"power_w", "power", "W", Better::neither, ""},
    {"gpu_memory_gib_peak", "GPU memory", "GiB", Better::neither, ""},
    {"server_cpu_share", "server CPU", "cores", Better::neither, ""},
    {"client_cpu_share", "client CPU", "", Better::neither, ""},
    {"server_memory_gib_peak", "server memory", "GiB", Better::neither, ""},
    {"server_start_s", "server start", "s", Better::neither, ""},
};

// The most telling first.
constexpr std::string_view k_parameter_order[] = {
    "experiment", "model",      "runner",      "tool",        "definition", "system",
    "mode",       "precision",  "backend",     "tp",          "pp",         "isl",
    "osl",        "batch_size", "concurrency", "request_rate"};

}  // namespace

std::span<const KnownMetric> known_metrics() { return k_known_metrics; }

const KnownMetric* known_metric(std::string_view column) {
  const auto find = [](std::string_view name) {
    const auto* at = std::ranges::find_if(
        k_known_metrics, [name](const KnownMetric& row) { return row.name == name; });
    return at == std::end(k_known_metrics) ? nullptr : at;
  };
  if (const KnownMetric* found = find(column)) return found;
  for (const std::string_view statistic : k_suffixed_statistics) {
    const std::string suffix = "_" + std::string(statistic);
    if (column.ends_with(suffix)) return find(column.substr(0, column.size() - suffix.size()));
  }
  return nullptr;
}

std::vector<std::string> parameters_in_order(const std::set<std::string>& names) {
  std::vector<std::string> out(names.begin(), names.end());
  const auto rank = [](const std::string& name) {
    return std::ranges::find(k_parameter_order, name) - std::begin(k_parameter_order);
  };
  std::ranges::stable_sort(
      out, [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return out;
}

}  // namespace orch::report
