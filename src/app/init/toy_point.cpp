#include "app/init/toy_point.hpp"

#include "core/base/text.hpp"
#include "app/init/first_values.hpp"
#include "spec/runner/parameter_words.hpp"

#include <algorithm>

namespace orch::session {

namespace {

constexpr std::string_view k_model = "model";
constexpr std::string_view k_source = "generate:nano";
constexpr int k_requests = 4;

// What each parameter of the point is set to, as YAML.
using Row = std::pair<std::string, std::string>;

// The value nearest to WANTED that PARAMETER allows.
std::string near_to(double wanted, const matrix::Parameter& parameter) {
  if (!parameter.allowed.empty()) return parameter.allowed.front();
  const double at_least = std::max(wanted, parameter.least.value_or(wanted));
  return fmt::format("{:.0f}", std::min(at_least, parameter.most.value_or(at_least)));
}

Result<std::vector<Row>> rows_of(const runner::Manifest& manifest) {
  std::vector<Row> rows;
  for (const matrix::Parameter& parameter : manifest.parameters) {
    if (parameter.name == "num_prompts") {
      rows.emplace_back(parameter.name, near_to(k_requests, parameter));
    } else if (parameter.name == "concurrency" && !parameter.declared.fallback) {
      rows.emplace_back(parameter.name, near_to(1, parameter));
    } else if (runner::is_required(manifest, parameter)) {
      if (parameter.name == k_model && takes_generated(parameter)) {
        rows.emplace_back(parameter.name, "nano");
        continue;
      }
      if (matrix::names_model(parameter))
        return invalid(
            "no model: the help of the parameter 'model' names no generate:nano; run a matrix of "
            "your own");
      if (parameter.type == matrix::Type::text && parameter.allowed.empty())
        return invalid(
            fmt::format("parameter '{}' has no default; give it one, or run a matrix of your own",
                        parameter.name));
      rows.emplace_back(parameter.name, yaml_value(parameter.type, first_value(parameter)));
    }
  }
  if (!rows.empty()) return rows;
  for (const matrix::Parameter& parameter : manifest.parameters)
    if (parameter.declared.fallback && !runner::stages_reading(manifest, parameter.name).empty())
      return std::vector<Row>{{parameter.name, yaml_value(parameter.type, first_value(parameter))}};
  return invalid("no stage reads a parameter, and a matrix needs one for its axis");
}

}  // namespace

Result<std::string> toy_matrix(const runner::Manifest& manifest) {
  ORCH_ASSIGN(const std::vector<Row> rows, rows_of(manifest));
  std::string text = fmt::format("name: check\nrunner: {}\n", manifest.name);
  const auto model =
      std::ranges::find_if(rows, [](const Row& row) { return row.first == k_model; });
  if (model != rows.end())
    text += fmt::format("models: {{{}: {{source: \"{}\"}}}}\n", model->second, k_source);
  text += "axes:\n";
  for (const auto& [name, value] : rows) text += fmt::format("  {}: [{}]\n", name, value);
  // Other work on the machine is no fault of the runner.
  return text +
         "measure:\n  warmup: \"1\"\n"
         "  limits: {wake_lag_ms: 10000, send_lag_ms: 10000, client_cpu_share: 1000}\n";
}

}  // namespace orch::session
