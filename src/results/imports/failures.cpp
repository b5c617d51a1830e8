#include "results/imports/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "results/imports/figures.hpp"

namespace orch::imports {

namespace {

constexpr std::string_view k_ends_of_rates_and_times[] = {"_ns",  "_us",  "_ms",
                                                          "_tps", "_rps", "_per_s"};

std::optional<double> figure_of(const Reading& reading, std::string_view name) {
  for (const record::NamedMetric& one : reading.figures)
    if (one.name == name_of_theirs(reading.tool, name, "")) return one.mean;
  return std::nullopt;
}

// A count or a duration of the tool's own; no time of a request and no rate.
bool is_count(const Reading& reading, const record::NamedMetric& figure) {
  const std::string_view name = figure.name;
  return name.starts_with(snake_case(reading.tool) + "_") &&
         std::ranges::none_of(k_ends_of_rates_and_times,
                              [&](std::string_view end) { return name.ends_with(end); });
}

void set_figure(Reading& reading, std::string_view name, double value) {
  std::erase_if(reading.figures, [&](const auto& one) { return one.name == name; });
  reading.figures.push_back({.name = std::string(name), .mean = value});
}

}  // namespace

Outcome outcome_of(const Reading& reading, std::optional<double> errors) {
  Outcome outcome = {figure_of(reading, "completed"), figure_of(reading, "failed")};
  if (errors) outcome.failed = std::max(outcome.failed.value_or(0), *errors);
  const auto prompts = reading.parameters.find("num_prompts");
  if (outcome.failed || !outcome.completed || prompts == reading.parameters.end()) return outcome;
  const auto asked = to_real(prompts->second.text);
  if (asked && *asked >= *outcome.completed) outcome.failed = *asked - *outcome.completed;
  return outcome;
}

std::optional<double> count_errors(const Node& list) {
  if (!list.is_list()) return std::nullopt;
  double errors = 0;
  for (const Node& error : list.items()) errors += error.is_text() && !error.text()->empty();
  return errors;
}

void judge(Reading& reading, const Outcome& outcome) {
  const double failed = outcome.failed.value_or(0), all = outcome.completed.value_or(0) + failed;
  if (outcome.completed && outcome.failed && all > 0)
    set_figure(reading, "error_rate", failed / all);
  if (!outcome.completed) return;
  if (*outcome.completed > 0) {
    if (failed > 0)
      reading.warnings.push_back(
          fmt::format("{} of {} requests failed: the figures are of the others", failed, all));
    return;
  }
  std::erase_if(reading.figures, [&](const record::NamedMetric& one) {
    return one.name != "error_rate" && !is_count(reading, one);
  });
  if (!reading.invalid.empty()) reading.invalid += "; ";
  reading.invalid += "no request succeeded";
  if (failed > 0) reading.invalid += fmt::format(": {} of {} failed", failed, all);
}

}  // namespace orch::imports
