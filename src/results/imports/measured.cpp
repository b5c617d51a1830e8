#include "results/imports/measured.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/digest.hpp"
#include "bench/measure/statistic_names.hpp"
#include "core/base/text.hpp"
#include "bench/measure/metrics.hpp"
#include "results/imports/figures.hpp"

namespace orch::imports {

namespace {

constexpr std::size_t k_digest_characters = 6;
constexpr std::size_t k_longest_name = 120;
constexpr char k_text_counting[] = "tokens of the text, retokenised";

Value value_of(const matrix::Value& value) {
  return std::visit([](const auto& typed) { return Value(typed); }, matrix::typed(value));
}

// What the files say of the load.
std::vector<std::pair<std::string, Value>> load_of(const Reading& reading) {
  std::vector<std::pair<std::string, Value>> load;
  for (const char* name : {"concurrency", "request_rate", "model", "isl", "osl", "batch"})
    if (const auto found = reading.parameters.find(name); found != reading.parameters.end())
      load.emplace_back(name, value_of(found->second));
  if (!reading.requests.records.empty()) load.emplace_back("stream", reading.requests.streamed);
  return load;
}

// "ttft_ms" or "ttft_ms_p99".
bool has_column(const std::vector<record::NamedMetric>& figures, std::string_view column) {
  return std::ranges::any_of(figures, [&](const record::NamedMetric& figure) {
    if (figure.name == column) return true;
    if (!column.starts_with(figure.name + "_")) return false;
    const std::string_view statistic = column.substr(figure.name.size() + 1);
    for (std::size_t i = 0; i < figure.statistics.size(); ++i)
      if (k_suffixed_statistics[i] == statistic && figure.statistics[i]) return true;
    return false;
  });
}

record::MeasuredBy by_whom(const Reading& reading, const FileOrigin& file) {
  return {.tool = reading.tool,
          .version = reading.tool_version,
          .definition = reading.tool,
          .origin = file.path,
          .origin_sha256 = file.sha256,
          .missing = {},
          .figures = {},
          .load = load_of(reading)};
}

std::optional<double> mean_of(const std::vector<record::NamedMetric>& figures,
                              std::string_view name) {
  for (const record::NamedMetric& figure : figures)
    if (figure.name == name) return figure.mean;
  return std::nullopt;
}

// Where a tool has the parts of the rate of input tokens, and not the rate itself.
void add_input_rate(const std::string& tool, std::vector<record::NamedMetric>& figures) {
  if (mean_of(figures, "input_tps")) return;
  const auto tokens = mean_of(figures, name_of_theirs(tool, "total_input_tokens", "")),
             duration_s = mean_of(figures, name_of_theirs(tool, "duration_s", "")),
             isl = mean_of(figures, "isl_counted"), requests = mean_of(figures, "requests_per_s");
  if (tokens && duration_s && *duration_s > 0)
    figures.push_back({.name = "input_tps", .mean = *tokens / *duration_s});
  else if (isl && requests) figures.push_back({.name = "input_tps", .mean = *isl * *requests});
}

record::Measurement figures_of(const Reading& reading, const FileOrigin& file) {
  record::Measurement own;
  own.by = by_whom(reading, file);
  own.by.figures = reading.figures;
  if (reading.invalid.empty()) add_input_rate(reading.tool, own.by.figures);
  for (const std::string& column : reading.expected)
    if (!has_column(reading.figures, column)) own.by.missing.push_back(column);
  own.verdict.valid = reading.invalid.empty();
  if (!own.verdict.valid) own.verdict.reasons.push_back(reading.invalid);
  own.verdict.warnings = reading.warnings;
  own.verdict.warnings.push_back(
      fmt::format("client not judged: {} tells nothing of its own lag", reading.tool));
  if (!reading.models.empty()) own.server.models = reading.models;
  return own;
}

record::Measurement recomputed(Reading& reading, const FileOrigin& file) {
  KeptRequests& kept = reading.requests;
  record::Measurement ours;
  ours.by = by_whom(reading, file);
  ours.by.definition = record::k_native;
  ours.wall_start_ns = kept.wall_start_ns;
  ours.counting_osl = kept.counting_osl;
  ours.counting_isl = kept.counting_isl;
  for (measure::RequestRecord& record : kept.records) record.streamed = kept.streamed;
  ours.records = std::move(kept.records);
  ours.duration_s = measure::duration_s(ours.records);
  const measure::Window window{.records = ours.records, .server = {}, .client = {}};
  ours.metrics = measure::metrics_of(window);
  ours.unsupported = measure::unsupported_percentiles(ours.metrics);
  ours.verdict.valid = std::ranges::any_of(
      ours.records, [](const auto& record) { return record.ok() && record.has_events(); });
  if (!ours.verdict.valid) ours.verdict.reasons.emplace_back("no request succeeded");
  ours.verdict.warnings.push_back(fmt::format(
      "computed from the requests of {}: client not judged, because it tells nothing of its own "
      "lag",
      reading.tool));
  return ours;
}

std::string words_of(const Reading& reading) {
  const auto value = [&](const char* name) {
    const auto found = reading.parameters.find(name);
    return found == reading.parameters.end() ? std::string() : found->second.text;
  };
  std::string words = value("model");
  const auto add = [&](std::string_view prefix, const std::string& text,
                       std::string_view end = "") {
    if (!text.empty())
      words += fmt::format("{}{}{}{}", words.empty() ? "" : "_", prefix, text, end);
  };
  add("c", value("concurrency"));
  add("", value("request_rate"), "rps");
  add("isl", value("isl"));
  add("osl", value("osl"));
  add("", reading.tool);
  return words;
}

}  // namespace

std::vector<record::Measurement> measurements_of(Gathered& from) {
  Reading& reading = from.reading;
  std::vector<record::Measurement> all;
  if (!reading.figures.empty() || !reading.models.empty())
    all.push_back(figures_of(reading, from.files.front()));
  if (!reading.requests.records.empty()) all.push_back(recomputed(reading, from.files.back()));
  if (all.empty()) {
    all.push_back(figures_of(reading, from.files.front()));
    all.back().verdict.valid = false;
    if (reading.invalid.empty())
      all.back().verdict.reasons = {
          fmt::format("{} has no figure and no request", from.files.front().path)};
  }
  return all;
}

std::optional<double> ended_at(const Reading& reading) {
  const KeptRequests& kept = reading.requests;
  if (reading.ended_at || kept.wall_start_ns <= 0) return reading.ended_at;
  std::int64_t last_ns = 0;
  for (const measure::RequestRecord& record : kept.records)
    last_ns = std::max(last_ns, record.end_ns);
  return static_cast<double>(kept.wall_start_ns + last_ns) / 1e9;
}

std::string name_point(Reading& reading) {
  reading.parameters.insert_or_assign("tool", matrix::Value{matrix::Type::text, reading.tool});
  std::string name = reading.name.empty() ? words_of(reading) : reading.name;
  for (char& c : name)
    if (!is_letter_or_digit(c) && c != '.' && c != '-') c = '_';
  Components all;
  for (const auto& [key, value] : reading.parameters) all.add(key, std::string_view(value.text));
  return fmt::format("{}-{}", name.substr(0, k_longest_name),
                     all.digest().prefix(k_digest_characters));
}

std::vector<std::string_view> texts_to_count(const Reading& reading) {
  std::vector<std::string_view> texts;
  const KeptRequests& kept = reading.requests;
  for (std::size_t i = 0; i < kept.texts.size(); ++i) {
    if (!kept.records[i].isl && !kept.texts[i].prompt.empty())
      texts.push_back(kept.texts[i].prompt);
    if (!kept.records[i].osl_counted) texts.push_back(kept.texts[i].answer);
  }
  return texts;
}

void set_counts(Reading& reading, const std::vector<std::int64_t>& counts) {
  KeptRequests& kept = reading.requests;
  std::size_t next = 0;
  for (std::size_t i = 0; i < kept.texts.size() && next < counts.size(); ++i) {
    measure::RequestRecord& record = kept.records[i];
    if (!record.isl && !kept.texts[i].prompt.empty()) record.isl = counts[next++];
    if (record.osl_counted || next >= counts.size()) continue;
    record.osl_counted = counts[next++];
    record.counted_by = measure::CountedBy::text;
  }
  kept.counting_osl = k_text_counting;
  kept.counting_isl = k_text_counting;
}

}  // namespace orch::imports
