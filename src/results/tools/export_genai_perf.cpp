#include "results/tools/export_genai_perf.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/statistics.hpp"
#include "bench/protocol/protocol.hpp"

#include <numeric>

#include <nlohmann/json.hpp>

namespace orch::record {

namespace {

using Json = nlohmann::ordered_json;
using measure::RequestRecord;
using measure::Statistics;
using measure::Window;

std::string_view endpoint_type(const BenchSpec& options) {
  return options.protocol == "openai-chat" ? "chat" : "completions";
}

std::string folder_of(const BenchSpec& options, const Load& load) {
  std::string model = options.model;
  std::replace(model.begin(), model.end(), '/', '_');
  const std::string service = protocol::is_triton(options.protocol)
                                  ? "triton-tensorrtllm"
                                  : fmt::format("openai-{}", endpoint_type(options));
  const std::string of = load.is_trace() ? "trace"
                         : load.kind == Load::Kind::open
                             ? "request_rate" + python_float(load.request_rate)
                             : fmt::format("concurrency{}", load.concurrency);
  return fmt::format("{}-{}-{}", model, service, of);
}

// --- metrics

// A metric of genai-perf over one window: the ascending values of all requests, or the single value
// of the window.
struct Figure {
  std::string_view name;
  std::string_view unit;   // in the JSON
  std::string_view title;  // in the CSV; "": not in the CSV
  bool of_window = false;
  std::vector<double> values = {};
};

std::vector<double> each(const Window& window, std::string_view metric) {
  const measure::MetricRow& row = *measure::find_metric(metric);
  std::vector<double> values;
  for (const RequestRecord& record : window.records)
    if (const std::optional<double> value = row.of(window, record)) values.push_back(*value);
  return values;
}

std::vector<double> whole(const Window& window, std::string_view metric) {
  const measure::MetricValue value = measure::find_metric(metric)->compute(window);
  return std::holds_alternative<double>(value) ? std::vector<double>{std::get<double>(value)}
                                               : std::vector<double>();
}

// For an unstreamed answer, genai-perf's JSON has the end of the answer as TTFT; its CSV leaves the
// metric out.
std::vector<double> ttft(const Window& window) {
  std::vector<double> values = each(window, metric::ttft_ms);
  return values.empty() ? each(window, metric::request_latency_ms) : values;
}

// Tokens of the answer per second of the request's latency. Later releases of genai-perf do not
// have this metric.
std::vector<double> tokens_per_s_of_request(const Window& window) {
  std::vector<double> values;
  for (const RequestRecord& record : window.records)
    if (record.ok() && record.has_events() && record.osl_counted &&
        record.last_ns() > record.sent_ns)
      values.push_back(
          static_cast<double>(*record.osl_counted) /
          (static_cast<double>(record.last_ns() - record.sent_ns) / measure::k_ns_per_s));
  return values;
}

// In the order of genai-perf's JSON.
std::vector<Figure> figures(const Window& window) {
  std::vector<Figure> all{
      {"request_throughput", "requests/sec", "Request Throughput (per sec)", true,
       whole(window, metric::requests_per_s)},
      {"request_latency", "ms", "Request Latency (ms)", false,
       each(window, metric::request_latency_ms)},
      {"request_goodput", "requests/sec", "Request Goodput (per sec)", true,
       whole(window, metric::goodput_rps)},
      {"time_to_first_token", "ms", "Time To First Token (ms)", false, ttft(window)},
      {"inter_token_latency", "ms", "Inter Token Latency (ms)", false,
       each(window, metric::itl_ms)},
      {"output_token_throughput", "tokens/sec", "Output Token Throughput (per sec)", true,
       whole(window, metric::output_tps)},
      {"output_token_throughput_per_request", "tokens/sec", "", false,
       tokens_per_s_of_request(window)},
      {"output_sequence_length", "tokens", "Output Sequence Length", false,
       each(window, metric::osl_counted)},
      {"input_sequence_length", "tokens", "Input Sequence Length", false,
       each(window, metric::isl_counted)},
  };
  std::erase_if(all, [](const Figure& figure) { return figure.values.empty(); });
  for (Figure& figure : all) std::ranges::sort(figure.values);
  return all;
}

Window window_of(const Measurement& measurement) {
  const std::span<const RequestRecord> records = measurement.records;
  const auto warmup =
      std::ranges::count_if(records, [](const auto& record) { return record.warmup; });
  Window window{.records = records.subspan(static_cast<std::size_t>(warmup)),
                .single_event_itl_is_zero = true};
  for (const measure::Metric& metric : measurement.metrics)
    if (metric.row->name == metric::goodput_rps)
      window.goodput_rps = std::get<double>(metric.value);
  return window;
}

struct Column {
  std::string_view name;
  double Statistics::*value;
  double share = 0;  // for a percentile that Statistics lacks
};
constexpr Column k_json_columns[] = {{"avg", &Statistics::mean}, {"p25", nullptr, 0.25},
                                     {"p50", &Statistics::p50},  {"p75", nullptr, 0.75},
                                     {"p90", &Statistics::p90},  {"p95", &Statistics::p95},
                                     {"p99", &Statistics::p99},  {"min", &Statistics::min},
                                     {"max", &Statistics::max},  {"std", &Statistics::sd}};
constexpr std::string_view k_csv_columns[] = {"avg", "min", "max", "p99", "p95",
                                              "p90", "p75", "p50", "p25"};

Json json_of(const Figure& figure) {
  Json out{{"unit", figure.unit}};
  if (figure.of_window) {
    out["avg"] = figure.values.front();
    return out;
  }
  const Statistics all = measure::statistics(figure.values);
  for (const Column& column : k_json_columns)
    out[std::string(column.name)] =
        column.value ? all.*column.value : measure::percentile(figure.values, column.share);
  return out;
}

// --- options

Json extra_inputs(const BenchSpec& options) {
  Json out = Json::object();
  for (const auto& [name, value] : options.inputs)
    out[name] = Json::accept(value) ? Json::parse(value) : Json(value);
  return out;
}

// The options of genai-perf that have a counterpart here.
Json input_config(const BenchSpec& options, const Load& load, std::string_view folder) {
  const bool open = load.kind == Load::Kind::open;
  std::string server = options.urls.front();
  if (const std::size_t scheme = server.find("://"); scheme != std::string::npos)
    server.erase(0, scheme + 3);
  return {{"subcommand", "profile"},
          {"model", Json::array({options.model})},
          {"backend", protocol::is_triton(options.protocol) ? Json("tensorrtllm") : Json()},
          {"endpoint", protocol::is_triton(options.protocol)
                           ? Json()
                           : Json(options.protocol == "openai-chat" ? "v1/chat/completions"
                                                                    : "v1/completions")},
          {"endpoint_type",
           protocol::is_triton(options.protocol) ? Json() : Json(endpoint_type(options))},
          {"service_kind", protocol::is_triton(options.protocol) ? "triton" : "openai"},
          {"server_metrics_url",
           options.metrics_urls.empty() ? Json() : Json(options.metrics_urls.front())},
          {"streaming", options.stream},
          {"u", server},
          {"batch_size_text", options.batch},
          {"output_tokens_mean", options.osl},
          {"output_tokens_mean_deterministic", !options.eos},
          {"random_seed", options.seed},
          {"goodput", options.goodput.empty() ? Json() : Json(options.goodput)},
          {"concurrency", open ? Json() : Json(load.concurrency)},
          {"request_rate", open && !load.is_trace() ? Json(load.request_rate) : Json()},
          {"artifact_dir", folder},
          {"profile_export_file", fmt::format("{}/profile_export.json", folder)},
          {"formatted_model_name", options.model},
          {"extra_inputs", extra_inputs(options)}};
}

// --- CSV

// VALUE with two decimals and commas between groups of three digits; quoted if it has a comma.
std::string grouped(double value) {
  std::string text = fmt::format("{:.2f}", value);
  const std::size_t first_digit = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.find('.'); at > first_digit + 3;) text.insert(at -= 3, ",");
  return text.find(',') == std::string::npos ? text : '"' + text + '"';
}

const Figure* find(std::span<const Figure> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Figure::name);
  return found == all.end() ? nullptr : &*found;
}

// The line terminator of Python's csv module.
constexpr std::string_view k_line_end = "\r\n";

std::string csv_of(std::span<const Figure> all, const Json& json, bool stream) {
  std::string out = "Metric";
  for (const std::string_view column : k_csv_columns) out += fmt::format(",{}", column);
  out += k_line_end;
  for (const std::string_view name :
       {"time_to_first_token", "inter_token_latency", "request_latency", "output_sequence_length",
        "input_sequence_length"}) {
    const Figure* figure = find(all, name);
    if (figure == nullptr ||
        (!stream && (name == "time_to_first_token" || name == "inter_token_latency")))
      continue;
    out += figure->title;
    for (const std::string_view column : k_csv_columns)
      out += ',' + grouped(json[std::string(name)][std::string(column)].get<double>());
    out += k_line_end;
  }
  out += fmt::format("{}Metric,Value{}", k_line_end, k_line_end);
  for (const std::string_view name :
       {"output_token_throughput", "request_throughput", "request_goodput"})
    if (const Figure* figure = find(all, name))
      out += fmt::format("{},{:.2f}{}", figure->title, figure->values.front(), k_line_end);
  return out;
}

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

// The number of output tokens; 0 for an answer without text, even if tokens were counted.
std::optional<std::int64_t> osl_of(const RequestRecord& record) {
  const bool is_empty = record.answer.empty() && !record.spooled;
  return record.osl_counted || !is_empty ? record.osl_counted : 0;
}

std::optional<std::int64_t> isl_of(const RequestRecord& record) { return record.isl; }

struct Figures {
  std::vector<const RequestRecord*> answered;
  std::vector<double> ttft, latency;
};

// The line of a rate over FIGURES; "" if a request has no count.
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
    if (metric.row->name == metric::requests_per_s) return std::get<double>(metric.value);
  return 0;
}

}  // namespace

std::string python_float(double value) { return Json(value).dump(); }

std::vector<std::string> genai_perf_folders(const BenchSpec& options,
                                            std::span<const Measurement> measurements) {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const Measurement& measurement : measurements) {
    const std::string name = folder_of(options, measurement.load);
    const int times = ++seen[name];
    out.push_back(times == 1 ? name : fmt::format("{}-{}", name, times));
  }
  return out;
}

GenaiPerfSummary genai_perf_summary(const BenchSpec& options, const Measurement& measurement,
                                    std::string_view folder) {
  const std::vector<Figure> all = figures(window_of(measurement));
  Json json = Json::object();
  for (const Figure& figure : all) json[std::string(figure.name)] = json_of(figure);
  std::string csv = csv_of(all, json, options.stream);
  json["input_config"] = input_config(options, measurement.load, folder);
  return {.json = json.dump(2, ' ', false, Json::error_handler_t::replace), .csv = std::move(csv)};
}

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
