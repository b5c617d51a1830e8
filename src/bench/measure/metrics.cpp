#include "bench/measure/metrics.hpp"

#include "bench/measure/validity.hpp"

#include <cmath>
#include <limits>

namespace orch::measure {
namespace {

constexpr double k_ns_per_s = 1e9;

bool answered(const RequestRecord& record) { return record.ok() && record.has_events(); }

MetricValue of_all(std::vector<double> values, double scale) {
  if (values.empty()) return {};
  Statistics all = statistics(std::move(values));
  // Scaled last, as in genai-perf, so that both agree to the last digit.
  for (const StatisticField& field : k_statistic_fields) all.*field.value /= scale;
  return all;
}

std::optional<double> as_real(std::optional<std::int64_t> value) {
  if (!value) return {};
  return static_cast<double>(*value);
}

// The average length of one of the answers to a batch request.
double tokens_per_answer(const RequestRecord& record) {
  return static_cast<double>(record.osl_counted.value_or(0)) /
         static_cast<double>(record.sequences);
}

// (last - first) / (osl - 1) in whole nanoseconds, halves to even: Python's round().
std::optional<double> itl_ns(const Window& window, const RequestRecord& record) {
  const double osl = tokens_per_answer(record);
  if (!record.streamed || osl <= 1) return {};
  if (record.event_ns.size() <= 1 && !window.single_event_itl_is_zero) return {};
  return std::nearbyint(static_cast<double>(record.last_ns() - record.first_ns()) / (osl - 1));
}

MetricValue ratio(std::optional<double> sum, std::optional<double> count) {
  if (!sum || !count || *count <= 0) return {};
  return *sum / *count;
}

std::optional<double> ttft_ns(const Window&, const RequestRecord& r) {
  if (!r.streamed) return {};
  return static_cast<double>(r.first_ns() - r.sent_ns);
}

// From the send to one of the stamps of an answer with reasoning.
template <auto Stamp> std::optional<double> since_send_ns(const Window&, const RequestRecord& r) {
  if (!r.streamed || !(r.*Stamp)) return {};
  return static_cast<double>(*(r.*Stamp) - r.sent_ns);
}

// The second event of a batch request may be the first one of another answer.
std::optional<double> ttst_ns(const Window&, const RequestRecord& r) {
  if (!r.streamed || r.event_ns.size() < 2 || r.sequences > 1) return {};
  return static_cast<double>(r.event_ns[1] - r.event_ns[0]);
}

std::optional<double> tpot_ns(const Window&, const RequestRecord& r) {
  const double later_tokens = tokens_per_answer(r) - static_cast<double>(r.first_event_tokens);
  if (!r.streamed || r.event_ns.size() < 2 || later_tokens <= 0) return {};
  return static_cast<double>(r.last_ns() - r.first_ns()) / later_tokens;
}

std::optional<double> latency_ns(const Window&, const RequestRecord& r) {
  return static_cast<double>(r.last_ns() - r.sent_ns);
}

// Requests of a closed loop have no schedule; they are due when their slot becomes free.
std::optional<double> ttft_intended_ns(const Window& window, const RequestRecord& r) {
  if (!window.open_loop || !r.due_ns || !r.streamed) return {};
  return static_cast<double>(r.first_ns() - *r.due_ns);
}

std::optional<double> latency_intended_ns(const Window& window, const RequestRecord& r) {
  if (!window.open_loop || !r.due_ns) return {};
  return static_cast<double>(r.last_ns() - *r.due_ns);
}

std::optional<double> server_queue_ns(const Window&, const RequestRecord& r) {
  if (!r.server_times) return {};
  return static_cast<double>(r.server_times->scheduled_ns);
}

std::optional<double> server_ttft_ns(const Window&, const RequestRecord& r) {
  if (!r.server_times) return {};
  return static_cast<double>(r.server_times->first_token_ns);
}

std::optional<double> server_latency_ns(const Window&, const RequestRecord& r) {
  if (!r.server_times) return {};
  return static_cast<double>(r.server_times->last_token_ns);
}

// Two neighbouring events of a batch request may belong to two answers.
MetricValue event_gap_ms(const Window& window) {
  std::vector<double> gaps;
  for (const RequestRecord& record : window.records) {
    if (!answered(record) || !record.streamed || record.sequences > 1) continue;
    for (std::size_t i = 1; i < record.event_ns.size(); ++i)
      gaps.push_back(static_cast<double>(record.event_ns[i] - record.event_ns[i - 1]));
  }
  return of_all(std::move(gaps), k_ns_per_ms);
}

std::optional<double> input_tokens(const RequestRecord& r) {
  return r.has_events() ? as_real(r.isl) : 0;
}
std::optional<double> output_tokens(const RequestRecord& r) {
  return r.has_events() ? as_real(r.osl_counted) : 0;
}
std::optional<double> one_request(const RequestRecord&) { return 1; }

std::optional<double> tps_of_one_user(const Window& window, const RequestRecord& r) {
  const std::optional<double> itl = itl_ns(window, r);
  if (!itl || *itl <= 0) return {};
  return 1 / (*itl / k_ns_per_s);
}

MetricValue error_rate(const Window& window) {
  if (window.records.empty()) return {};
  const auto failed = std::ranges::count_if(window.records, [](const auto& r) { return !r.ok(); });
  return static_cast<double>(failed) / static_cast<double>(window.records.size());
}

std::optional<double> isl_counted(const Window&, const RequestRecord& r) { return as_real(r.isl); }
std::optional<double> isl_from_usage(const Window&, const RequestRecord& r) {
  return as_real(r.isl_reported);
}
std::optional<double> osl_counted(const Window&, const RequestRecord& r) {
  return as_real(r.osl_counted);
}
std::optional<double> osl_from_usage(const Window&, const RequestRecord& r) {
  return as_real(r.osl_reported);
}
MetricValue isl_of_page(const Window& window) {
  return ratio(window.server.input_tokens, window.server.input_requests);
}
MetricValue osl_of_page(const Window& window) {
  return ratio(window.server.output_tokens, window.server.output_requests);
}

std::optional<double> send_lag_ns(const Window&, const RequestRecord& r) {
  if (!r.due_ns) return {};
  return static_cast<double>(r.sent_ns - *r.due_ns);
}

MetricValue goodput_rps(const Window& window) {
  if (!window.goodput_rps) return {};
  return *window.goodput_rps;
}

MetricValue client_cpu_share(const Window& window) {
  if (!window.client.cpu_share) return {};
  return *window.client.cpu_share;
}

MetricValue if_known(std::optional<double> value) {
  if (!value) return {};
  return *value;
}

MetricValue server_cpu_share(const Window& window) { return if_known(window.side.cpu_share); }
MetricValue server_memory_gib_peak(const Window& window) {
  return if_known(window.side.memory_gib_peak);
}
MetricValue gpu_memory_gib_peak(const Window& window) {
  return if_known(window.side.gpu_memory_gib_peak);
}
MetricValue power_w(const Window& window) { return if_known(window.side.power_w); }

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

using Each = std::optional<double> (*)(const Window&, const RequestRecord&);
using Whole = MetricValue (*)(const Window&);

constexpr MetricRow of_window(std::string_view name, std::string_view unit,
                              std::string_view formula, std::string_view source, Whole whole) {
  return {.name = name, .unit = unit, .formula = formula, .source = source, .whole = whole};
}

constexpr MetricRow per_request(std::string_view name, std::string_view unit,
                                std::string_view formula, std::string_view source, Each each) {
  return {.name = name, .unit = unit, .formula = formula, .source = source, .each = each};
}

// The value of ROW where no request has one.
constexpr MetricRow or_of_window(MetricRow row, Whole whole) {
  row.whole = whole;
  return row;
}

constexpr MetricRow rate(std::string_view name, std::string_view unit, std::string_view formula,
                         std::string_view source,
                         std::optional<double> (*adds)(const RequestRecord&)) {
  return {.name = name, .unit = unit, .formula = formula, .source = source, .adds = adds};
}

constexpr bool k_failed_too = true;

// EACH gives nanoseconds.
constexpr MetricRow duration(std::string_view name, std::string_view formula,
                             std::string_view source, Each each, bool failed_too = false) {
  return {.name = name,
          .unit = "ms",
          .formula = formula,
          .source = source,
          .each = each,
          .scale = k_ns_per_ms,
          .failed_too = failed_too};
}

constexpr MetricRow k_table[] = {
    duration("ttft_ms", "first token event - send, per request; streamed answers only",
             k_genai_perf, ttft_ns),
    duration("ttft_ms_intended", "first token event - scheduled send, per request; open loop only",
             k_own, ttft_intended_ns),
    duration(
        "ttfr_ms",
        "first event with text of the model's reasoning - send, per request for an answer that "
        "has some",
        k_own, since_send_ns<&RequestRecord::first_reasoning_ns>),
    duration(
        "ttfo_ms",
        "first event with text of the answer itself - send, per request for an answer that has "
        "reasoning before it",
        "AIPerf (time to first output token)", since_send_ns<&RequestRecord::first_visible_ns>),
    duration("ttst_ms", "second token event - first token event, per request for one answer",
             k_genai_perf_later, ttst_ns),
    duration("itl_ms",
             "(last - first token event) / (osl - 1), per request, rounded to whole ns; osl > 1 "
             "and more than one event; for a batch, osl is the mean over its answers",
             k_genai_perf, itl_ns),
    duration("tpot_ms",
             "(last - first token event) / (osl - tokens of the first event), per request, not "
             "rounded; for a batch, osl is the mean over its answers",
             k_own, tpot_ns),
    of_window("event_gap_ms", "ms",
              "time between neighbouring token events, pooled over all requests for one answer",
              "vLLM bench serve (its ITL)", event_gap_ms),
    duration("request_latency_ms", "last token event - send, per request", k_genai_perf,
             latency_ns),
    duration("request_latency_ms_intended",
             "last token event - scheduled send, per request; open loop only", k_own,
             latency_intended_ns),
    rate("input_tps", "tokens/s", "sum of isl / (last response or failure - first send)", k_own,
         input_tokens),
    rate("output_tps", "tokens/s", "sum of osl / (last response or failure - first send)",
         k_genai_perf, output_tokens),
    per_request("output_tps_per_user", "tokens/s", "1 / itl, per request", k_genai_perf_later,
                tps_of_one_user),
    rate("requests_per_s", "requests/s",
         "requests that succeeded / (last response or failure - first send)", k_genai_perf,
         one_request),
    of_window(
        "goodput_rps", "requests/s",
        "requests that succeeded and met the goodput expression / (last response or failure - "
        "first send); in an open loop the expression's latencies are from the scheduled send",
        k_own, goodput_rps),
    of_window("error_rate", "1", "requests that failed / requests sent", k_own, error_rate),
    per_request("isl_counted", "tokens",
                "token ids of the prompt, as counted in its prompt file, per request", k_genai_perf,
                isl_counted),
    or_of_window(per_request("isl_reported", "tokens",
                             "prompt_tokens of the usage in each answer; without it, growth of "
                             "nv_llm_input_token_len_sum / growth of its _count over the window",
                             "server", isl_from_usage),
                 isl_of_page),
    of_window("cache_share", "1", "cached_tokens / prompt_tokens of the usage in all answers",
              "server", [](const Window& window) { return if_known(cached_share(window)); }),
    per_request("osl_counted", "tokens",
                "tokens of the answer as the client counts them, per request", k_genai_perf,
                osl_counted),
    or_of_window(per_request("osl_reported", "tokens",
                             "completion_tokens of the usage in each answer; without it, growth of "
                             "nv_llm_output_token_len_sum / growth of its _count over the window",
                             "server", osl_from_usage),
                 osl_of_page),
    duration(
        "server_queue_ms",
        "first scheduled - arrival, by the server's clock, per request whose answer reports it",
        "server", server_queue_ns),
    duration("server_ttft_ms",
             "first token - arrival, by the server's clock, per request whose answer reports it",
             "server", server_ttft_ns),
    duration("server_latency_ms",
             "last token - arrival, by the server's clock, per request whose answer reports it",
             "server", server_latency_ns),
    duration("send_lag_ms",
             "send - due time (closed loop: the time when its slot became free), per request",
             k_own, send_lag_ns, k_failed_too),
    of_window("client_cpu_share", "1",
              "CPU time of the client's busiest thread / wall time of the window", k_own,
              client_cpu_share),
    of_window("server_cpu_share", "cores",
              "CPU time of the server's processes (the listening one, its ancestors in the session "
              "and all descendants) / wall time; only for a server on this host's loopback",
              k_own, server_cpu_share),
    of_window("server_memory_gib_peak", "GiB",
              "peak resident memory of the server's processes, sampled twice a second; a shared "
              "page counts for each process",
              k_own, server_memory_gib_peak),
    of_window("gpu_memory_gib_peak", "GiB",
              "highest memory use of any of the server's GPUs, as reported by the driver "
              "(other processes included), sampled twice a second",
              k_own, gpu_memory_gib_peak),
    of_window("power_w", "W",
              "energy of all GPUs of the server during the window / length of the window", k_own,
              power_w),
    of_window("energy_j_per_token", "J/token",
              "energy of the server's GPUs during the window / sum of osl; the GPUs' counters give "
              "the energy; without them, power samples are integrated",
              k_own, energy_j_per_token),
};

bool counts(const MetricRow& row, const RequestRecord& record) {
  return row.failed_too || answered(record);
}

// The defined values of requests, in the order of sending, in units of 1 / scale.
std::vector<double> values_of(const MetricRow& row, const Window& window) {
  std::vector<double> values;
  if (row.each == nullptr) return values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records)
    if (counts(row, record))
      if (const std::optional<double> value = row.each(window, record)) values.push_back(*value);
  return values;
}

std::int64_t end_of(const RequestRecord& record) {
  return record.has_events() ? std::max(record.end_ns, record.last_ns()) : record.end_ns;
}

// From the due time until the slot is free again.
double slot_seconds(const RequestRecord& record) {
  return static_cast<double>(end_of(record) - record.due_ns.value_or(record.sent_ns)) / k_ns_per_s;
}

std::optional<Interval> interval_of_row(const MetricRow& row, const Window& window) {
  std::vector<Parts> parts;
  parts.reserve(window.records.size());
  for (const RequestRecord& record : window.records) {
    const std::optional<Parts> added = row.parts_of(window, record);
    if (!added) return {};
    parts.push_back(*added);
  }
  return interval_of_parts(window, parts);
}

std::int64_t cycle_of(const Window& window) {
  return window.open_loop ? 1 : std::max<std::int64_t>(1, window.concurrency);
}

LimitsOfPercentiles limits_of_row(const MetricRow& row, const Window& window) {
  std::vector<std::optional<double>> values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records) values.push_back(row.of(window, record));
  return limits_of_percentiles(values, cycle_of(window));
}

// The RATE of the whole window is below the rate of the slots, because slots do not end together.
// The interval is extended to include it.
std::optional<Interval> interval_of_rate(const MetricRow& row, const Window& window, double rate) {
  std::optional<Interval> interval = interval_of_row(row, window);
  if (!interval) return {};
  double above = 0;
  double below = 0;
  for (const RequestRecord& record : window.records) {
    const std::optional<Parts> added = row.parts_of(window, record);
    above += added->above;
    below += added->below;
  }
  const double share = above > 0 ? rate * below / above : 1;
  return Interval{interval->low * std::min(1.0, share), interval->high * std::max(1.0, share)};
}

// Undefined when one request lacks its term, or when no request succeeded.
Metric rate_of(const MetricRow& row, const Window& window) {
  double sum = 0;
  bool any = false;
  for (const RequestRecord& record : window.records) {
    if (!record.ok()) continue;
    const std::optional<double> added = row.adds(record);
    if (!added) return {.row = &row, .value = {}};
    sum += *added;
    any = true;
  }
  const double seconds = duration_s(window.records);
  if (!any || seconds <= 0) return {.row = &row, .value = {}};
  return {.row = &row,
          .value = sum / seconds,
          .interval = interval_of_rate(row, window, sum / seconds)};
}

Metric metric_of(const MetricRow& row, const Window& window) {
  if (row.adds != nullptr) return rate_of(row, window);
  std::vector<double> values = values_of(row, window);
  if (values.empty())
    return {.row = &row, .value = row.whole == nullptr ? MetricValue() : row.whole(window)};
  return {.row = &row,
          .value = of_all(std::move(values), row.scale),
          .interval = interval_of_row(row, window),
          .percentile_limits = limits_of_row(row, window)};
}

}  // namespace

std::span<const MetricRow> metric_table() { return k_table; }

const MetricRow* find_metric(std::string_view name) {
  const auto* row = std::ranges::find_if(
      k_table, [&](const MetricRow& candidate) { return candidate.name == name; });
  return row == std::end(k_table) ? nullptr : row;
}

const MetricRow& MetricRow::from_scheduled_send(bool open_loop) const {
  const MetricRow* intended = open_loop ? find_metric(std::string(name) + "_intended") : nullptr;
  return intended == nullptr ? *this : *intended;
}

MetricValue MetricRow::compute(const Window& window) const {
  return metric_of(*this, window).value;
}

std::optional<double> MetricRow::of(const Window& window, const RequestRecord& record) const {
  if (each == nullptr || !counts(*this, record)) return {};
  const std::optional<double> value = each(window, record);
  if (!value) return {};
  return *value / scale;
}

std::optional<Parts> MetricRow::parts_of(const Window& window, const RequestRecord& record) const {
  if (adds != nullptr) {
    if (window.open_loop || window.concurrency < 1) return {};
    const std::optional<double> added = record.ok() ? adds(record) : 0;
    if (!added) return {};
    return Parts{.above = *added,
                 .below = slot_seconds(record) / static_cast<double>(window.concurrency)};
  }
  if (each == nullptr) return {};
  const std::optional<double> value = of(window, record);
  return value ? Parts{.above = *value, .below = 1} : Parts{};
}

std::optional<Interval> interval_of_parts(const Window& window, std::span<const Parts> parts) {
  std::vector<double> above;
  std::vector<double> below;
  for (const Parts& one : parts) {
    above.push_back(one.above);
    below.push_back(one.below);
  }
  return interval_of_ratio(above, below, cycle_of(window));
}

double duration_s(std::span<const RequestRecord> records) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const RequestRecord& record : records) {
    first = std::min(first, record.sent_ns);
    last = std::max(last, answered(record) ? record.last_ns() : end_of(record));
  }
  return last > first ? static_cast<double>(last - first) / k_ns_per_s : 0;
}

std::vector<Metric> metrics_of(const Window& window) {
  std::vector<Metric> out;
  for (const MetricRow& row : k_table) {
    Metric metric = metric_of(row, window);
    if (!std::holds_alternative<std::monostate>(metric.value)) out.push_back(metric);
  }
  return out;
}

double Metric::mean() const {
  const auto* all = std::get_if<Statistics>(&value);
  return all != nullptr ? all->mean : std::get<double>(value);
}

}  // namespace orch::measure
