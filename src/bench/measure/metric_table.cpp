// The rows of the metric table with their formulas.
#include "bench/measure/metrics.hpp"
#include "bench/measure/validity.hpp"

#include <cmath>

namespace orch::measure {
namespace {

std::optional<double> as_real(std::optional<std::int64_t> value) {
  if (!value) return {};
  return static_cast<double>(*value);
}

// The average length of an answer to a batch request.
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

// The time from the send to one of the timestamps of an answer with reasoning.
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

// A time by the server's clock, since the request's arrival.
template <auto Time> std::optional<double> server_ns(const Window&, const RequestRecord& r) {
  if (!r.server_times) return {};
  return static_cast<double>((*r.server_times).*Time);
}

// Two consecutive events of a batch request may belong to two answers.
MetricValue event_gap_ms(const Window& window) {
  std::vector<double> gaps;
  for (const RequestRecord& record : window.records) {
    if (!record.answered() || !record.streamed || record.sequences > 1) continue;
    for (std::size_t i = 1; i < record.event_ns.size(); ++i)
      gaps.push_back(static_cast<double>(record.event_ns[i] - record.event_ns[i - 1]));
  }
  if (gaps.empty()) return {};
  return statistics(std::move(gaps), k_ns_per_ms);
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

template <auto Count> std::optional<double> count_of(const Window&, const RequestRecord& r) {
  return as_real(r.*Count);
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

MetricValue if_known(std::optional<double> value) {
  if (!value) return {};
  return *value;
}

MetricValue goodput_rps(const Window& window) { return if_known(window.goodput_rps); }
MetricValue client_cpu_share(const Window& window) { return if_known(window.client.cpu_share); }

template <auto Figure> MetricValue of_side(const Window& window) {
  return if_known(window.side.*Figure);
}

MetricValue energy_j_per_token(const Window& window) {
  double tokens = 0;
  for (const RequestRecord& record : window.records) {
    if (!record.answered()) continue;
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

// ROW with WHOLE as its value if no request has one.
constexpr MetricRow or_of_window(MetricRow row, Whole whole) {
  row.whole = whole;
  return row;
}

constexpr MetricRow rate(std::string_view name, std::string_view unit, std::string_view formula,
                         std::string_view source,
                         std::optional<double> (*adds)(const RequestRecord&)) {
  return {.name = name, .unit = unit, .formula = formula, .source = source, .adds = adds};
}

constexpr Slot p99(int place) { return {place, Shows::mean_and_p99}; }
constexpr Slot hidden(int place) { return {place, Shows::nothing}; }

constexpr MetricRow shown(MetricRow row, std::string_view family, Better better, int digits,
                          const Lists& in) {
  row.shown = {.family = family, .better = better, .digits = digits, .in = in};
  return row;
}

// ROW with a UNIT in reports and a TITLE in the table of bench, unless these are "".
constexpr MetricRow renamed(MetricRow row, std::string_view unit, std::string_view title) {
  row.shown.unit = unit;
  row.shown.title = title;
  return row;
}

// A metric that the store computes from the stages underlying a measurement.
constexpr MetricRow derived(std::string_view name, std::string_view unit,
                            std::string_view formula) {
  return {.name = name, .unit = unit, .formula = formula, .source = k_own};
}

// A metric of a built-in scorer. Users' scorers have other names, and their direction is unknown.
constexpr MetricRow score(std::string_view name, std::string_view family, int place) {
  return {.name = name,
          .unit = "1",
          .formula = "mean over the prompts of the scores of their answers",
          .source = k_own,
          .shown = {.family = family, .better = Better::higher, .in = {place}}};
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

// The first rows are computed from a window, the next by the store, the last by scorers. shown()
// adds the name in reports, the direction, the decimal digits and the places in the lists: report,
// comparison, sharing, point, summary, bench. Places leave gaps, so that a new metric fits between
// two others.
constexpr MetricRow k_table[] = {
    shown(duration(metric::ttft_ms, "first token event - send, per request; streamed answers only",
                   k_genai_perf, ttft_ns),
          "TTFT", Better::lower, 2, {p99(50), p99(40), 30, 10, p99(20), p99(30)}),
    shown(duration(metric::ttft_ms_intended,
                   "first token event - scheduled send, per request; open loop only", k_own,
                   ttft_intended_ns),
          "TTFT from schedule", Better::lower, 2, {p99(60), 0, 0, 0, p99(30)}),
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
    duration(metric::ttst_ms, "second token event - first token event, per request for one answer",
             k_genai_perf_later, ttst_ns),
    shown(duration(
              metric::itl_ms,
              "(last - first token event) / (osl - 1), per request, rounded to whole ns; osl > 1 "
              "and more than one event; for a batch, osl is the mean over its answers",
              k_genai_perf, itl_ns),
          "ITL", Better::lower, 3, {70, 50, 40, 20, 40, 40}),
    shown(
        duration(metric::tpot_ms,
                 "(last - first token event) / (osl - tokens of the first event), per request, not "
                 "rounded; for a batch, osl is the mean over its answers",
                 k_own, tpot_ns),
        "TPOT", Better::lower, 0, {hidden(80), hidden(55)}),
    of_window(metric::event_gap_ms, "ms",
              "time between neighbouring token events, pooled over all requests for one answer",
              "vLLM bench serve (its ITL)", event_gap_ms),
    renamed(shown(duration(metric::request_latency_ms, "last token event - send, per request",
                           k_genai_perf, latency_ns),
                  "request latency", Better::lower, 1, {p99(90), p99(60), 50, 30, 50, p99(50)}),
            "", "latency_ms"),
    shown(duration(metric::request_latency_ms_intended,
                   "last token event - scheduled send, per request; open loop only", k_own,
                   latency_intended_ns),
          "request latency from schedule", Better::lower, 1, {p99(100), 0, 0, 0, 60}),
    rate(metric::input_tps, "tokens/s", "sum of isl / (last response or failure - first send)",
         k_own, input_tokens),
    shown(rate(metric::output_tps, "tokens/s",
               "sum of osl / (last response or failure - first send)", k_genai_perf, output_tokens),
          "output throughput", Better::higher, 1, {10, 10, 10, 40, 10, 20}),
    shown(per_request(metric::output_tps_per_user, "tokens/s", "1 / itl, per request",
                      k_genai_perf_later, tps_of_one_user),
          "throughput per user", Better::higher, 0, {hidden(110)}),
    renamed(shown(rate(metric::requests_per_s, "requests/s",
                       "requests that succeeded / (last response or failure - first send)",
                       k_genai_perf, one_request),
                  "requests per second", Better::higher, 2, {hidden(30), 0, 20, 50, 70, 10}),
            "1/s", "requests/s"),
    shown(
        of_window(
            metric::goodput_rps, "requests/s",
            "requests that succeeded and met the goodput expression / (last response or failure - "
            "first send); in an open loop the expression's latencies are from the scheduled send",
            k_own, goodput_rps),
        "goodput", Better::higher, 2, {40, 30, 0, 0, 80, 60}),
    shown(of_window(metric::error_rate, "1", "requests that failed / requests sent", k_own,
                    error_rate),
          "error rate", Better::lower, 3, {hidden(120), 70, 0, 60, 100, 70}),
    per_request(metric::isl_counted, "tokens",
                "token ids of the prompt, as counted in its prompt file, per request", k_genai_perf,
                count_of<&RequestRecord::isl>),
    or_of_window(per_request("isl_reported", "tokens",
                             "prompt_tokens of the usage in each answer; without it, growth of "
                             "nv_llm_input_token_len_sum / growth of its _count over the window",
                             "server", count_of<&RequestRecord::isl_reported>),
                 isl_of_page),
    shown(of_window(metric::cache_share, "1",
                    "cached_tokens / prompt_tokens of the usage in all answers", "server",
                    [](const Window& window) { return if_known(cached_share(window)); }),
          "cached prompts", Better::neither, 2, {hidden(180), 0, 0, 0, 90}),
    per_request(metric::osl_counted, "tokens",
                "tokens of the answer as the client counts them, per request", k_genai_perf,
                count_of<&RequestRecord::osl_counted>),
    or_of_window(per_request("osl_reported", "tokens",
                             "completion_tokens of the usage in each answer; without it, growth of "
                             "nv_llm_output_token_len_sum / growth of its _count over the window",
                             "server", count_of<&RequestRecord::osl_reported>),
                 osl_of_page),
    duration(
        "server_queue_ms",
        "first scheduled - arrival, by the server's clock, per request whose answer reports it",
        "server", server_ns<&ServerTimes::scheduled_ns>),
    duration("server_ttft_ms",
             "first token - arrival, by the server's clock, per request whose answer reports it",
             "server", server_ns<&ServerTimes::first_token_ns>),
    duration("server_latency_ms",
             "last token - arrival, by the server's clock, per request whose answer reports it",
             "server", server_ns<&ServerTimes::last_token_ns>),
    duration(metric::send_lag_ms,
             "send - due time (closed loop: the time when its slot became free), per request",
             k_own, send_lag_ns, k_failed_too),
    shown(of_window("client_cpu_share", "1",
                    "CPU time of the client's busiest thread / wall time of the window", k_own,
                    client_cpu_share),
          "client CPU", Better::neither, 0, {hidden(230)}),
    shown(of_window(
              "server_cpu_share", "cores",
              "CPU time of the server's processes (the listening one, its ancestors in the session "
              "and all descendants) / wall time; only for a server on this host's loopback",
              k_own, of_side<&ServerSide::cpu_share>),
          "server CPU", Better::neither, 0, {hidden(220)}),
    shown(of_window(
              "server_memory_gib_peak", "GiB",
              "peak resident memory of the server's processes, sampled twice a second; a shared "
              "page counts for each process",
              k_own, of_side<&ServerSide::memory_gib_peak>),
          "server memory", Better::neither, 0, {hidden(240)}),
    shown(of_window("gpu_memory_gib_peak", "GiB",
                    "highest memory use of any of the server's GPUs, as reported by the driver "
                    "(other processes included), sampled twice a second",
                    k_own, of_side<&ServerSide::gpu_memory_gib_peak>),
          "GPU memory", Better::neither, 0, {hidden(210)}),
    shown(of_window(metric::power_w, "W",
                    "energy of all GPUs of the server during the window / length of the window",
                    k_own, of_side<&ServerSide::power_w>),
          "power", Better::neither, 0, {hidden(200)}),
    renamed(shown(of_window(metric::energy_j_per_token, "J/token",
                            "energy of the server's GPUs during the window / sum of osl; the GPUs' "
                            "counters give "
                            "the energy; without them, power samples are integrated",
                            k_own, energy_j_per_token),
                  "energy per token", Better::lower, 0, {190, 80}),
            "J", ""),
    shown(derived(metric::server_start_s, "s", "time until the server was ready"), "server start",
          Better::neither, 0, {hidden(250)}),
    derived(metric::build_s, "s", "wall time of the stages that made the server's engine"),
    derived(metric::engine_gib, "GiB", "size of what these stages made"),
    shown(derived(metric::output_tps_per_gpu, "tokens/s", "output_tps / GPUs of the server"),
          "throughput per GPU", Better::higher, 0, {20, 20}),
    score("score_exact", "score (exact)", 130),
    score("score_normalized", "score (normalized)", 140),
    score("score_f1", "score (f1)", 150),
    score("score_rouge_l", "score (rouge_l)", 160),
    score("score_numeric", "score (numeric)", 170),
};

constexpr std::size_t k_derived = 4, k_scores = 5;
constexpr std::size_t k_of_window = std::size(k_table) - k_derived - k_scores;
static_assert(k_table[k_of_window].name == metric::server_start_s);

const MetricRow* find_among(std::span<const MetricRow> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &MetricRow::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::span<const MetricRow> metric_table() { return std::span(k_table).first(k_of_window); }

std::span<const MetricRow> derived_metrics() {
  return std::span(k_table).subspan(k_of_window, k_derived);
}

std::span<const MetricRow> all_metrics() { return k_table; }

const MetricRow* find_metric(std::string_view name) { return find_among(metric_table(), name); }

std::vector<const MetricRow*> metrics_in(Slot Lists::*list) {
  std::vector<const MetricRow*> out;
  for (const MetricRow& row : k_table)
    if ((row.shown.in.*list).place > 0) out.push_back(&row);
  std::ranges::sort(out, {}, [list](const MetricRow* row) { return (row->shown.in.*list).place; });
  return out;
}

std::vector<Column> columns_in(Slot Lists::*list) {
  std::vector<Column> out;
  for (const MetricRow* row : metrics_in(list))
    for (const Statistic one : {Statistic::mean, Statistic::p99})
      if ((row->shown.in.*list).has(one)) out.push_back({row, one});
  return out;
}

std::string Column::name() const {
  return statistic == Statistic::mean ? std::string(metric->name)
                                      : fmt::format("{}_{}", metric->name, to_string(statistic));
}

const MetricRow* reported_metric(std::string_view column) {
  const auto find = [](std::string_view name) {
    const MetricRow* row = find_among(k_table, name);
    return row && row->shown.in.report.place > 0 ? row : nullptr;
  };
  if (const MetricRow* found = find(column)) return found;
  return find(without_statistic(column));
}

std::string_view MetricRow::unit_of_reports() const {
  if (!shown.unit.empty()) return shown.unit;
  return unit == "1" ? std::string_view() : unit;
}

}  // namespace orch::measure
