#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/imports/csv.hpp"
#include "results/imports/figures.hpp"
#include "results/imports/format.hpp"
#include "results/imports/tool_names.hpp"

namespace orch::imports {

namespace {

struct KnownName {
  std::string_view theirs, ours;
  bool is_time = false;
};
constexpr KnownName k_known_names[] = {
    {"request_latency", metric::request_latency_ms, true},
    {"time_to_first_token", metric::ttft_ms, true},
    {"time_to_second_token", metric::ttst_ms, true},
    {"inter_token_latency", metric::itl_ms, true},
    {"inter_chunk_latency", metric::event_gap_ms, true},
    {"output_token_throughput", metric::output_tps},
    {"output_token_throughput_per_user", metric::output_tps_per_user},
    {"request_throughput", metric::requests_per_s},
    {"request_goodput", metric::goodput_rps},
    {"goodput", metric::goodput_rps},
    {"input_sequence_length", metric::isl_counted},
    {"output_sequence_length", metric::osl_counted},
};

// aiperf's wall-clock stamps, which are not figures. Its many timings of the HTTP library are
// passed over as well.
constexpr std::string_view k_no_figures[] = {"min_request_timestamp", "max_response_timestamp"};

bool is_passed_over(std::string_view name) {
  return name.starts_with("http_req_") ||
         std::ranges::find(k_no_figures, name) != std::end(k_no_figures);
}

bool is_percentile(std::string_view word) {
  return word.size() >= 2 && word.size() <= 4 && word[0] == 'p' &&
         std::all_of(word.begin() + 1, word.end(), is_digit);
}

// Whether records have a column for STATISTIC.
bool is_kept(std::string_view statistic) { return parse_name<Statistic>(statistic).has_value(); }

void read_figure(const Node& node, std::string_view tool, Figures& figures) {
  const std::string unit = node.at("unit").text().value_or("");
  const OurName ours = our_name(tool, node.key(), unit);
  if (ours.name.empty()) return node.at("unit").refuse("a unit of time is needed: ns, us, ms or s");
  const bool is_ours = measure::find_metric(ours.name) != nullptr;
  for (const Node& member : node.members()) {
    const std::string_view statistic = statistic_of(member.key());
    if (statistic.empty() || (!is_ours && !is_kept(statistic))) continue;
    const auto value = member.number();
    if (!value) continue;
    const Status set = figures.set(ours.name, statistic, *value * ours.factor);
    if (!set) member.refuse(set.error().message + "; correct it, or remove the field");
  }
}

// genai-perf's own report, as JSON (STEM_genai_perf.json) and as CSV: releases 24.05 to 25.08.

constexpr std::string_view k_genai_perf = "genai-perf";
constexpr std::size_t k_head = 4096;

// Sets the model from NODE, a model or a list of which the first is used.
void set_model_name(Reading& reading, const Node& node) {
  if (!node.is_list()) return set_text(reading, "model", node.text());
  const auto names = node.items();
  if (!names.empty()) set_text(reading, "model", names.front().text());
}

// Reads the configuration up to release 25.03, a flat list of arguments.
void read_flat(const Node& config, Reading& reading) {
  set_model_name(reading, config.at("model"));
  set_integer(reading, "concurrency", config.at("concurrency").integer(1, k_most_of_anything));
  set_request_rate(reading, config.at("request_rate"));
  for (const char* name : {"backend", "endpoint_type", "service_kind"})
    set_node(reading, name, config.at(name));
  set_node(reading, "batch", config.at("batch_size"));
  const Node osl = config.at("output_tokens_mean");
  if (osl.is_number() && *osl.number() > 0) set_node(reading, "osl", osl);
  const std::string prompts = config.at("prompt_source").text().value_or("synthetic");
  if (prompts == "synthetic" && !config.at("input_dataset").exists())
    set_node(reading, "isl", config.at("synthetic_input_tokens_mean"));
}

// Reads the configuration since release 25.04, which is nested.
void read_nested(const Node& config, Reading& reading) {
  set_model_name(reading, config.at("model_names"));
  const Node stimulus = config.at("perf_analyzer").at("stimulus");
  set_integer(reading, "concurrency", stimulus.at("concurrency").integer(1, k_most_of_anything));
  set_request_rate(reading, stimulus.at("request_rate"));
  set_node(reading, "backend", config.at("endpoint").at("backend"));
  set_node(reading, "endpoint_type", config.at("endpoint").at("type"));
  const Node input = config.at("input");
  set_node(reading, "isl", input.at("synthetic_tokens").at("mean"));
  const Node osl = input.at("output_tokens").at("mean");
  if (osl.is_number() && *osl.number() > 0) set_node(reading, "osl", osl);
}

std::optional<bool> streaming_of(const Node& config) {
  const Node flat = config.at("streaming"), nested = config.at("endpoint").at("streaming");
  return flat.exists() ? flat.flag() : nested.flag();
}

// "Time To First Token (ms)" -> {"time_to_first_token", "ms"}.
std::pair<std::string, std::string> name_and_unit(std::string_view title) {
  const auto open = title.rfind(" (");
  if (open == std::string_view::npos || !title.ends_with(')'))
    return {snake_case(title), title.ends_with("Length") ? "tokens" : ""};
  return {snake_case(title.substr(0, open)),
          std::string(title.substr(open + 2, title.size() - open - 3))};
}

// One row of either table: a title, and a number in each other column.
Status read_titled(const CsvTable& table, std::size_t row, std::string_view tool,
                   Figures& figures) {
  const auto [theirs, unit] = name_and_unit(table.text(row, "Metric"));
  const OurName ours = our_name(tool, theirs, unit);
  if (ours.name.empty())
    return table.refuse(row, "Metric", "a unit of time is needed: ns, us, ms or s");
  for (const std::string& column : table.columns()) {
    const std::string_view statistic = column == "Value" ? "mean" : statistic_of(column);
    if (statistic.empty()) continue;
    ORCH_ASSIGN(const auto value, table.number(row, column));
    if (!value) continue;
    const Status set = figures.set(ours.name, statistic, *value * ours.factor);
    if (!set) return table.refuse(row, column, set.error().message);
  }
  return {};
}

// Reads a report as CSV, which states neither model nor load.
Result<std::vector<Reading>> read_titles(const Source& source, std::string_view tool) {
  ORCH_ASSIGN(const auto rows, read_csv(source.name, source.text));
  Figures figures;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    if (rows[first].is_empty()) continue;
    // Stops before GPU telemetry, whose tables have a different format.
    if (rows[first].cells[0] != "Metric" || rows[first].cells.size() < 2) break;
    if (rows[first].cells[1] != "avg" && rows[first].cells[1] != "Value") break;
    ORCH_ASSIGN(const CsvTable table, CsvTable::of(source.name, rows, first));
    for (std::size_t row = 0; row < table.size(); ++row)
      ORCH_TRY(read_titled(table, row, tool, figures));
    first += table.size();
  }
  Reading reading{.tool = std::string(tool)};
  reading.figures = figures.take();
  for (const record::NamedMetric& figure : reading.figures)
    if (figure.name == name_of_theirs(tool, "request_count", "") && figure.mean == 0)
      judge(reading, {.completed = 0});
  reading.expect(genai_expected(true));
  return std::vector{std::move(reading)};
}

}  // namespace

OurName our_name(std::string_view tool, std::string_view theirs, std::string_view unit) {
  const auto known = std::ranges::find(k_known_names, theirs, &KnownName::theirs);
  if (known == std::end(k_known_names)) return {name_of_theirs(tool, theirs, unit), 1};
  if (!known->is_time) return {std::string(known->ours), 1};
  const auto factor = to_ms(unit);
  return factor ? OurName{std::string(known->ours), *factor} : OurName{"", 1};
}

std::string_view statistic_of(std::string_view word) {
  if (word == "avg" || word == "value") return "mean";
  if (word == "std") return "sd";
  return word == "min" || word == "max" || is_percentile(word) ? word : std::string_view();
}

void read_genai_figures(const Node& root, std::string_view tool, Figures& figures) {
  for (const Node& member : root.members()) {
    if (!member.is_object() || !member.at("unit").is_text() || is_passed_over(member.key()))
      continue;
    if (member.at("avg").is_number()) read_figure(member, tool, figures);
    else static_cast<void>(member.at("avg").number());  // for the fault: the value is not a number
  }
}

Outcome genai_outcome(const Node& root) {
  const auto count = [&](const char* key) -> std::optional<double> {
    Node node = root.at(key);
    for (const char* part : {"avg", "value"})
      if (node.is_object() && node.at(part).exists()) node = node.at(part);
    return node.is_number() ? node.number() : std::nullopt;
  };
  Outcome outcome = {count("request_count"), count("error_request_count")};
  // The report lists errors with their counts.
  if (const Node errors = root.at("error_summary"); !outcome.failed && errors.is_list()) {
    outcome.failed = 0;
    for (const Node& error : errors.items())
      if (error.at("count").is_number()) *outcome.failed += *error.at("count").number();
  }
  // If every request failed, aiperf omits the count of successful ones.
  if (!outcome.completed && outcome.failed.value_or(0) > 0) outcome.completed = 0;
  return outcome;
}

std::vector<std::string_view> genai_expected(bool streamed) {
  std::vector<std::string_view> names = {metric::request_latency_ms, metric::output_tps,
                                         metric::requests_per_s, metric::isl_counted,
                                         metric::osl_counted};
  if (streamed) names.insert(names.end(), {metric::ttft_ms, metric::itl_ms});
  return names;
}

bool is_genai_perf_json(const Source& source) {
  // Excludes aiperf's report, which has the same names.
  return trim(source.text.substr(0, k_head)).starts_with('{') &&
         source.text.find("\"input_config\"") != std::string_view::npos &&
         !has_marks_of_aiperf(source.text) &&
         source.text.find("\"request_latency\"") != std::string_view::npos;
}

Result<std::vector<Reading>> read_genai_perf_json(const Source& source) {
  ORCH_ASSIGN(const Document document, Document::parse(source.name, source.text));
  Fault fault(source.name);
  const Node root = document.root(fault), config = root.at("input_config");
  Reading reading{.tool = std::string(k_genai_perf)};
  if (config.at("model_names").exists() || config.at("perf_analyzer").exists())
    read_nested(config, reading);
  else read_flat(config, reading);
  Figures figures;
  read_genai_figures(root, k_genai_perf, figures);
  ORCH_TRY(fault.status());
  const bool streamed = streaming_of(config).value_or(true);
  reading.figures = figures.take();
  judge(reading, genai_outcome(root));
  reading.expect(genai_expected(streamed));
  if (!streamed)
    reading.warnings.emplace_back(
        "genai-perf states a TTFT for answers that were not streamed: it is their latency");
  ORCH_TRY(fault.status());
  warn_of_left_out(fault, reading);
  return std::vector{std::move(reading)};
}

bool is_genai_perf_csv(const Source& source) {
  return source.text.starts_with("Metric,avg,min,max,p99") && !is_aiperf_csv(source);
}

bool is_aiperf_csv(const Source& source) {
  const std::string_view header = first_line(source.text);
  return header.starts_with("Metric,avg,min,max,") && header.find(",std") != std::string_view::npos;
}

Result<std::vector<Reading>> read_genai_perf_csv(const Source& source) {
  return read_titles(source, k_genai_perf);
}

Result<std::vector<Reading>> read_aiperf_csv(const Source& source) {
  return read_titles(source, "aiperf");
}

}  // namespace orch::imports
