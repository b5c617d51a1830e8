#include "measure/metrics.hpp"

#include <cmath>
#include <limits>

namespace orch::measure {
namespace {

constexpr double k_ns_per_s = 1e9;
constexpr double k_ns_per_ms = 1e6;

bool answered(const RequestRecord& record) { return record.ok() && record.has_events(); }

MetricValue of_all(std::vector<double> values, double divisor = 1) {
  if (values.empty()) return {};
  Statistics all = statistics(std::move(values));
  // Scaled afterwards, as genai-perf does, so that both agree to the last digits.
  for (const StatisticField& field : k_statistic_fields) all.*field.value /= divisor;
  return all;
}

// One value per answered request for which EACH gives one.
template <class Each>
MetricValue per_request(const Window& window, Each each, double divisor = 1) {
  std::vector<double> values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records)
    if (answered(record))
      if (const std::optional<double> value = each(record)) values.push_back(*value);
  return of_all(std::move(values), divisor);
}

std::optional<double> as_real(std::optional<std::int64_t> value) {
  if (!value) return {};
  return static_cast<double>(*value);
}

// (last - first) / (osl - 1) in whole nanoseconds, halves to even: Python's round().
std::optional<double> itl_ns(const Window& window, const RequestRecord& record) {
  const std::int64_t osl = record.osl_counted.value_or(0);
  if (!record.streamed || osl <= 1) return {};
  if (record.event_ns.size() <= 1 && !window.single_event_itl_is_zero) return {};
  return std::nearbyint(static_cast<double>(record.last_ns() - record.first_ns()) / static_cast<double>(osl - 1));
}

// Sums COUNT over answered requests and divides by the window; undefined as soon as one request has no count.
template <class Count>
MetricValue tokens_per_s(const Window& window, Count count) {
  double tokens = 0;
  for (const RequestRecord& record : window.records) {
    if (!answered(record)) continue;
    const std::optional<std::int64_t> one = count(record);
    if (!one) return {};
    tokens += static_cast<double>(*one);
  }
  const double seconds = duration_s(window.records);
  if (seconds <= 0) return {};
  return tokens / seconds;
}

MetricValue ratio(std::optional<double> sum, std::optional<double> count) {
  if (!sum || !count || *count <= 0) return {};
  return *sum / *count;
}

MetricValue ttft_ms(const Window& window) {
  return per_request(window, [](const RequestRecord& r) -> std::optional<double> {
    if (!r.streamed) return {};
    return static_cast<double>(r.first_ns() - r.sent_ns);
  }, k_ns_per_ms);
}

MetricValue ttst_ms(const Window& window) {
  return per_request(window, [](const RequestRecord& r) -> std::optional<double> {
    if (!r.streamed || r.event_ns.size() < 2) return {};
    return static_cast<double>(r.event_ns[1] - r.event_ns[0]);
  }, k_ns_per_ms);
}

MetricValue itl_ms(const Window& window) {
  return per_request(window, [&](const RequestRecord& r) { return itl_ns(window, r); }, k_ns_per_ms);
}

MetricValue tpot_ms(const Window& window) {
  return per_request(window, [](const RequestRecord& r) -> std::optional<double> {
    const std::int64_t later_tokens = r.osl_counted.value_or(0) - r.first_event_tokens;
    if (!r.streamed || r.event_ns.size() < 2 || later_tokens < 1) return {};
    return static_cast<double>(r.last_ns() - r.first_ns()) / static_cast<double>(later_tokens);
  }, k_ns_per_ms);
}

MetricValue event_gap_ms(const Window& window) {
  std::vector<double> gaps;
  for (const RequestRecord& record : window.records) {
    if (!answered(record) || !record.streamed) continue;
    for (std::size_t i = 1; i < record.event_ns.size(); ++i)
      gaps.push_back(static_cast<double>(record.event_ns[i] - record.event_ns[i - 1]));
  }
  return of_all(std::move(gaps), k_ns_per_ms);
}

MetricValue request_latency_ms(const Window& window) {
  return per_request(window, [](const RequestRecord& r) -> std::optional<double> {
    return static_cast<double>(r.last_ns() - r.sent_ns);
  }, k_ns_per_ms);
}

MetricValue input_tps(const Window& window) {
  return tokens_per_s(window, [](const RequestRecord& r) { return r.isl; });
}

MetricValue output_tps(const Window& window) {
  return tokens_per_s(window, [](const RequestRecord& r) { return r.osl_counted; });
}

MetricValue output_tps_per_user(const Window& window) {
  return per_request(window, [&](const RequestRecord& r) -> std::optional<double> {
    const std::optional<double> itl = itl_ns(window, r);
    if (!itl || *itl <= 0) return {};
    return 1 / (*itl / k_ns_per_s);
  });
}

MetricValue requests_per_s(const Window& window) {
  const double seconds = duration_s(window.records);
  if (seconds <= 0) return {};
  const auto succeeded = std::count_if(window.records.begin(), window.records.end(), [](const auto& r) { return r.ok(); });
  return static_cast<double>(succeeded) / seconds;
}

MetricValue error_rate(const Window& window) {
  if (window.records.empty()) return {};
  const auto failed = std::count_if(window.records.begin(), window.records.end(), [](const auto& r) { return !r.ok(); });
  return static_cast<double>(failed) / static_cast<double>(window.records.size());
}

MetricValue isl_counted(const Window& window) {
  return per_request(window, [](const RequestRecord& r) { return as_real(r.isl); });
}

// What the answers say of themselves, else the server's metrics page.
MetricValue isl_reported(const Window& window) {
  MetricValue told = per_request(window, [](const RequestRecord& r) { return as_real(r.isl_reported); });
  return std::holds_alternative<std::monostate>(told) ? ratio(window.server.input_tokens, window.server.input_requests) : told;
}

MetricValue osl_counted(const Window& window) {
  return per_request(window, [](const RequestRecord& r) { return as_real(r.osl_counted); });
}

MetricValue osl_reported(const Window& window) {
  MetricValue told = per_request(window, [](const RequestRecord& r) { return as_real(r.osl_reported); });
  return std::holds_alternative<std::monostate>(told) ? ratio(window.server.output_tokens, window.server.output_requests) : told;
}

MetricValue send_lag_ms(const Window& window) {
  std::vector<double> lags;
  for (const RequestRecord& record : window.records)
    if (record.due_ns) lags.push_back(static_cast<double>(record.sent_ns - *record.due_ns));
  return of_all(std::move(lags), k_ns_per_ms);
}

MetricValue client_cpu_share(const Window& window) {
  if (!window.client.cpu_share) return {};
  return *window.client.cpu_share;
}

MetricValue told(std::optional<double> value) {
  if (!value) return {};
  return *value;
}

MetricValue server_cpu_share(const Window& window) { return told(window.side.cpu_share); }
MetricValue server_memory_gib_peak(const Window& window) { return told(window.side.memory_gib_peak); }
MetricValue gpu_memory_gib_peak(const Window& window) { return told(window.side.gpu_memory_gib_peak); }
MetricValue power_w(const Window& window) { return told(window.side.power_w); }

MetricValue energy_j_per_token(const Window& window) {
  double tokens = 0;
  for (const RequestRecord& record : window.records) {
    if (!answered(record)) continue;
    if (!record.osl_counted) return {};
    tokens += static_cast<double>(*record.osl_counted);
  }
  return ratio(window.side.energy_j, tokens);
}

constexpr std::string_view k_genai_perf = "genai-perf 0.0.8";
constexpr std::string_view k_genai_perf_later = "genai-perf 0.0.16";
constexpr std::string_view k_own = "orchestrate";

constexpr MetricRow k_table[] = {
    {"ttft_ms", "ms", "first token event - send, per request; streamed answers only", k_genai_perf, ttft_ms},
    {"ttst_ms", "ms", "second token event - first token event, per request", k_genai_perf_later, ttst_ms},
    {"itl_ms", "ms", "(last - first token event) / (osl - 1), per request, rounded to whole ns; osl > 1 and more than one event", k_genai_perf, itl_ms},
    {"tpot_ms", "ms", "(last - first token event) / (osl - tokens of the first event), per request, not rounded", k_own, tpot_ms},
    {"event_gap_ms", "ms", "time between neighbouring token events, pooled over all requests", "vLLM bench serve (its ITL)", event_gap_ms},
    {"request_latency_ms", "ms", "last token event - send, per request", k_genai_perf, request_latency_ms},
    {"input_tps", "tokens/s", "sum of isl / (last response - first send)", k_own, input_tps},
    {"output_tps", "tokens/s", "sum of osl / (last response - first send)", k_genai_perf, output_tps},
    {"output_tps_per_user", "tokens/s", "1 / itl, per request", k_genai_perf_later, output_tps_per_user},
    {"requests_per_s", "requests/s", "requests that succeeded / (last response - first send)", k_genai_perf, requests_per_s},
    {"error_rate", "1", "requests that failed / requests sent", k_own, error_rate},
    {"isl_counted", "tokens", "token ids of the prompt, as its prompt file counted them, per request", k_genai_perf, isl_counted},
    {"isl_reported", "tokens", "prompt_tokens of the usage in each answer; without it, growth of nv_llm_input_token_len_sum / growth of its _count over the window", "server", isl_reported},
    {"osl_counted", "tokens", "tokens of the answer as the client counts them, per request", k_genai_perf, osl_counted},
    {"osl_reported", "tokens", "completion_tokens of the usage in each answer; without it, growth of nv_llm_output_token_len_sum / growth of its _count over the window", "server", osl_reported},
    {"send_lag_ms", "ms", "send - when it was due (closed loop: when its slot became free), per request", k_own, send_lag_ms},
    {"client_cpu_share", "1", "CPU time of the client's busiest thread / wall time of the window", k_own, client_cpu_share},
    {"server_cpu_share", "cores", "CPU time of the server's processes (the one that listens, those above it in its session, all below) / wall time; of a server on this host's loopback", k_own, server_cpu_share},
    {"server_memory_gib_peak", "GiB", "most resident memory of these processes at one look, looked at twice a second; a page that several of them share counts for each", k_own, server_memory_gib_peak},
    {"gpu_memory_gib_peak", "GiB", "most memory in use on the server's GPU that used most, as the driver tells it (also what others use there), looked at twice a second", k_own, gpu_memory_gib_peak},
    {"power_w", "W", "energy of the server's GPUs while the window lasted / its length, all GPUs together", k_own, power_w},
    {"energy_j_per_token", "J/token", "energy of the server's GPUs while the window lasted, by their own counters where they have them, else power integrated / sum of osl", k_own, energy_j_per_token},
};

}  // namespace

std::span<const MetricRow> metric_table() { return k_table; }

double duration_s(std::span<const RequestRecord> records) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const RequestRecord& record : records) {
    if (!answered(record)) continue;
    first = std::min(first, record.sent_ns);
    last = std::max(last, record.last_ns());
  }
  return last > first ? static_cast<double>(last - first) / k_ns_per_s : 0;
}

std::vector<Metric> metrics_of(const Window& window) {
  std::vector<Metric> out;
  for (const MetricRow& row : k_table) {
    MetricValue value = row.compute(window);
    if (!std::holds_alternative<std::monostate>(value)) out.push_back({.row = &row, .value = value});
  }
  return out;
}

std::vector<std::string> unsupported_percentiles(std::span<const Metric> metrics) {
  std::vector<std::string> out;
  for (const Metric& metric : metrics) {
    const auto* all = std::get_if<Statistics>(&metric.value);
    if (all == nullptr) continue;
    for (const StatisticField& field : k_statistic_fields)
      if (field.per_mille > 0 && all->n < records_needed(field.per_mille))
        out.push_back(fmt::format("{}_{}", metric.row->name, field.name));
  }
  return out;
}

}  // namespace orch::measure
