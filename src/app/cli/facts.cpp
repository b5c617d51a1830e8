#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "app/session/identities/fact_text.hpp"
#include "app/session/project.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace orch::cli {

namespace {

struct FactsOptions {
  std::string config;
  std::string runner;
  RunnerPlaces places;
};

// The nearest runner that reads facts of models, or the one that is named.
Result<runner::Manifest> runner_with_facts(system::Files& files, const FactsOptions& options) {
  const std::string& wanted = options.runner;
  Errors site_errors;
  const auto runners = find_runners(files, options.places, "", site_errors);
  if (!site_errors.empty()) return site_errors.front();
  std::optional<runner::Manifest> chosen;
  std::vector<std::string> names;
  for (const session::RunnerFile& found : runners) {
    Errors errors;
    auto manifest = session::read_manifest(files, found, errors);
    if (!manifest && wanted == found.name) return errors.front();
    if (!manifest || manifest->model_facts.empty()) continue;
    names.push_back(found.name);
    if (!chosen && (wanted.empty() || wanted == found.name)) chosen = std::move(*manifest);
  }
  if (chosen) return std::move(*chosen);
  return invalid(names.empty()
                     ? "no runner that reads facts of models was found; run from the "
                       "project's folder"
                     : fmt::format("the runner {} reads no facts of models; those that do "
                                   "are: {}",
                                   quoted(wanted), join(names, ", ")));
}

std::string yaml_value(const matrix::Value& value) {
  const bool is_text = value.type == matrix::Type::text || value.type == matrix::Type::version;
  return is_text ? dump(nlohmann::json(value.text), -1) : value.text;
}

// The facts as the matrix takes them, below `models: NAME:`.
Result<std::string> facts_text(const runner::Manifest& manifest, const std::string& config,
                               const std::string& file) {
  ORCH_ASSIGN(
      const matrix::ModelFacts facts,
      matrix::read_model_facts(manifest.model_facts, config, file, manifest.fact_source->places));
  static constexpr std::string_view k_prefix = "model_";
  std::string text =
      fmt::format("facts:  # of {}, for the runner {}\n", printable(file), manifest.name);
  for (const matrix::ModelFact& fact : manifest.model_facts)
    if (const auto value = facts.values.find(fact.column.name); value != facts.values.end())
      text += fmt::format("  {}: {}\n", fact.column.name.substr(k_prefix.size()),
                          yaml_value(value->second));
  if (!facts.values.empty()) return text;
  return invalid(
      fmt::format("{} has none of the keys that the runner {} reads; give the "
                  "config.json of a model",
                  printable(file), manifest.name));
}

Result<std::string> facts(const FactsOptions& options) {
  system::RealFiles files;
  namespace fs = std::filesystem;
  std::error_code code;
  const std::string file = fs::is_directory(options.config, code)
                               ? (fs::path(options.config) / "config.json").string()
                               : options.config;
  ORCH_ASSIGN(const runner::Manifest manifest, runner_with_facts(files, options));
  ORCH_ASSIGN(const std::string config, session::fact_text(files, file, *manifest.fact_source));
  return facts_text(manifest, config, file);
}

}  // namespace

void add_facts(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "facts",
      "Print the facts in a model's config.json, to state below `models: NAME:` of a matrix that "
      "is planned where the model is not");
  auto options = std::make_shared<FactsOptions>();
  command->add_option("CONFIG", options->config, "A config.json, or the folder that has it")
      ->required();
  command->add_option("--runner", options->runner,
                      "The runner that reads the facts (default: the nearest that reads any)");
  add_runner_places(*command, options->places);
  command->callback([options, &exit_code] {
    const auto text = facts(*options);
    if (text) {
      print_out(*text);
      return;
    }
    print_errors({text.error()});
    exit_code = 2;
  });
}

}  // namespace orch::cli
