// aiperf's report (profile_export_aiperf.json) and its records (profile_export.jsonl).
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/tool_names.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_aiperf = "aiperf";
constexpr int k_deepest_search = 8;
// Keys of aiperf's reports that genai-perf's do not have. Releases up to 0.3, which use
// genai-perf's names of figures and do not state their version, have one of the others.
constexpr std::string_view k_only_aiperf_has[] = {"aiperf_version", "was_cancelled",
                                                  "telemetry_data", "loadgen"};

// The first member called KEY at any depth below NODE, because the configuration changes between
// releases; phases that do not count, such as the warm-up, are skipped.
Node anywhere(const Node& node, std::string_view key, int depth = 0) {
  if (const Node out = node.at("exclude_from_results"); out.exists() && out.flag() == true)
    return {node.fault(), nullptr};
  const Node here = node.at(key);
  if (here.exists() || depth > k_deepest_search) return here;
  if (!node.is_object() && !node.is_list()) return here;
  for (const Node& member : node.is_list() ? node.items() : node.members()) {
    const Node found = anywhere(member, key, depth + 1);
    if (found.exists()) return found;
  }
  return here;
}

void read_aiperf_config(const Node& config, Reading& reading) {
  const Node names = anywhere(config, "model_names"), models = config.at("models").at("items");
  if (names.is_list() && !names.items().empty())
    set_text(reading, "model", names.items()[0].text());
  else if (names.is_text()) set_text(reading, "model", names.text());
  else if (models.is_list() && !models.items().empty())
    set_text(reading, "model", models.items()[0].at("name").text());
  const Node concurrency = anywhere(config, "concurrency");
  if (concurrency.is_number())
    set_integer(reading, "concurrency", concurrency.integer(1, k_most_of_anything));
  const Node rate = anywhere(config, "request_rate");
  if (rate.is_number()) set_request_rate(reading, rate);
  const Node streaming = anywhere(config, "streaming");
  if (streaming.exists() && !streaming.is_object()) set_flag(reading, "stream", streaming.flag());
}

std::optional<std::int64_t> token_count(const Node& metrics, std::string_view name) {
  return metrics.at(name).at("value").integer(0, k_most_of_anything);
}

// The value of METRIC, which may be in any unit of time, in nanoseconds.
std::optional<std::int64_t> time_ns(const Node& metric) {
  const auto value = metric.at("value").number();
  const auto factor = to_ms(metric.at("unit").text().value_or("ms"));
  if (!value || !factor) return std::nullopt;
  const double ns = *value * *factor * measure::k_ns_per_ms;
  if (ns >= 0 && ns < 9e17) return static_cast<std::int64_t>(std::llround(ns));
  metric.at("value").refuse("a time must be between 0 and a few years");
  return std::nullopt;
}

// Sets the times of the events: the first at TTFT, each further one a gap later; without gaps, only
// the first and the last.
void set_events(const Node& metrics, measure::RequestRecord& record) {
  const auto latency = time_ns(metrics.at("request_latency"));
  if (!latency) return;
  record.end_ns = record.sent_ns + *latency;
  const auto ttft = time_ns(metrics.at("time_to_first_token"));
  record.streamed = ttft.has_value();
  record.event_ns = {record.sent_ns + std::min(ttft.value_or(*latency), *latency)};
  if (!ttft) return;
  const Node chunks = metrics.at("inter_chunk_latency");
  const double factor = to_ms(chunks.at("unit").text().value_or("ms")).value_or(1);
  double at = static_cast<double>(record.event_ns[0]);
  std::vector<std::int64_t> later;
  for (const Node& gap :
       chunks.at("value").is_list() ? chunks.at("value").items() : std::vector<Node>()) {
    at += gap.number().value_or(0) * factor * measure::k_ns_per_ms;
    later.push_back(
        std::clamp(static_cast<std::int64_t>(std::llround(at)), record.event_ns[0], record.end_ns));
  }
  if (later.empty() && record.end_ns > record.event_ns[0]) later = {record.end_ns};
  // The rounding of the gaps must not change the last stamp, which determines the latency.
  if (!later.empty()) later.back() = record.end_ns;
  for (const std::int64_t ns : later)
    record.event_ns.push_back(std::max(ns, record.event_ns.back()));
}

std::string error_of(const Node& error) {
  if (!error.exists()) return "";
  const std::string message = error.at("message").text().value_or("");
  return message.empty() ? "the request failed" : message;
}

void read_record(const Node& line, KeptRequests& kept) {
  const Node metadata = line.at("metadata"), metrics = line.at("metrics");
  if (metadata.at("benchmark_phase").text() == "warmup") return;
  const auto start = metadata.at("request_start_ns").integer(0, INT64_MAX);
  const auto end = metadata.at("request_end_ns").integer(0, INT64_MAX);
  if (!start) return metadata.at("request_start_ns").refuse("the start of the request is needed");
  measure::RequestRecord record;
  record.sent_ns = *start;
  record.end_ns = std::max(end.value_or(*start), *start);
  record.error = error_of(line.at("error"));
  record.stopped = metadata.at("was_cancelled").flag().value_or(false);
  record.isl = token_count(metrics, "input_sequence_length");
  record.osl_counted = token_count(metrics, "output_sequence_length");
  record.counted_by = measure::CountedBy::text;
  record.status = record.ok()
                      ? 200
                      : static_cast<int>(line.at("error").at("code").integer(0, 9999).value_or(0));
  if (record.ok()) set_events(metrics, record);
  kept.records.push_back(std::move(record));
}

}  // namespace

bool has_marks_of_aiperf(std::string_view text) {
  return std::ranges::any_of(k_only_aiperf_has,
                             [&](std::string_view key) { return has_key(text, key); });
}

bool is_aiperf_json(const Source& source) {
  return trim(source.text.substr(0, 64)).starts_with('{') && has_key(source.text, "input_config") &&
         has_marks_of_aiperf(source.text);
}

Result<std::vector<Reading>> read_aiperf_json(const Source& source) {
  ORCH_ASSIGN(const Document document, Document::parse(source.name, source.text));
  Fault fault(source.name);
  const Node root = document.root(fault);
  Reading reading{.tool = std::string(k_aiperf)};
  reading.tool_version = root.at("aiperf_version").text();
  read_aiperf_config(root.at("input_config"), reading);
  Figures figures;
  read_genai_figures(root, k_aiperf, figures);
  if (root.at("was_cancelled").flag().value_or(false))
    reading.invalid = "aiperf was cancelled before the end of its load";
  reading.figures = figures.take();
  judge(reading, genai_outcome(root));
  ORCH_TRY(fault.status());
  warn_of_left_out(fault, reading);
  const auto stream = reading.parameters.find("stream");
  reading.expect(
      genai_expected(stream == reading.parameters.end() || stream->second.text != "false"));
  return std::vector{std::move(reading)};
}

bool is_aiperf_jsonl(const Source& source) {
  const std::string_view first = source.text.substr(0, source.text.find('\n'));
  return first.starts_with('{') && first.find("\"metadata\"") != std::string_view::npos &&
         first.find("\"request_start_ns\"") != std::string_view::npos;
}

Result<std::vector<Reading>> read_aiperf_jsonl(const Source& source) {
  Reading reading{.tool = std::string(k_aiperf)};
  KeptRequests& kept = reading.requests;
  kept.counting_osl = "token_count of the text, retokenised by aiperf";
  kept.counting_isl = kept.counting_osl;
  Fault fault(source.name);
  ORCH_TRY(for_each_json_line(source, fault, [&](const Node& line) { read_record(line, kept); }));
  ORCH_TRY(fault.status());
  warn_of_left_out(fault, reading);
  start_at_zero(kept);
  return std::vector{std::move(reading)};
}

}  // namespace orch::imports
