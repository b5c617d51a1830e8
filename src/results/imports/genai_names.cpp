#include "results/imports/genai_names.hpp"

#include <algorithm>

#include "bench/measure/statistic_names.hpp"
#include "core/base/text.hpp"
#include "bench/measure/metrics.hpp"

namespace orch::imports {

namespace {

struct KnownName {
  std::string_view theirs, ours;
  bool is_time = false;
};
constexpr KnownName k_known_names[] = {
    {"request_latency", "request_latency_ms", true},
    {"time_to_first_token", "ttft_ms", true},
    {"time_to_second_token", "ttst_ms", true},
    {"inter_token_latency", "itl_ms", true},
    {"inter_chunk_latency", "event_gap_ms", true},
    {"output_token_throughput", "output_tps"},
    {"output_token_throughput_per_user", "output_tps_per_user"},
    {"request_throughput", "requests_per_s"},
    {"request_goodput", "goodput_rps"},
    {"goodput", "goodput_rps"},
    {"input_sequence_length", "isl_counted"},
    {"output_sequence_length", "osl_counted"},
};

// aiperf's wall-clock stamps are no figures, and its times of the HTTP library are too many.
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
bool is_kept(std::string_view statistic) {
  return statistic == "mean" ||
         std::ranges::find(k_suffixed_statistics, statistic) != k_suffixed_statistics.end();
}

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

}  // namespace

OurName our_name(std::string_view tool, std::string_view theirs, std::string_view unit) {
  const auto known = std::ranges::find_if(
      k_known_names, [&](const KnownName& one) { return one.theirs == theirs; });
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
    else static_cast<void>(member.at("avg").number());  // says what is wrong with it
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
  // Its list of errors, with how often each occurred.
  if (const Node errors = root.at("error_summary"); !outcome.failed && errors.is_list()) {
    outcome.failed = 0;
    for (const Node& error : errors.items())
      if (error.at("count").is_number()) *outcome.failed += *error.at("count").number();
  }
  // Where every request failed, aiperf leaves the count of the others out.
  if (!outcome.completed && outcome.failed.value_or(0) > 0) outcome.completed = 0;
  return outcome;
}

std::vector<std::string> genai_expected(bool streamed) {
  std::vector<std::string> names = {"request_latency_ms", "output_tps", "requests_per_s",
                                    "isl_counted", "osl_counted"};
  if (streamed) names.insert(names.end(), {"ttft_ms", "itl_ms"});
  return names;
}

}  // namespace orch::imports
