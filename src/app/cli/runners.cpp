#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "app/session/identities/tool_versions.hpp"
#include "app/session/project.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/runner/list_manifest.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace orch::cli {

namespace {

struct RunnersOptions {
  std::string name;
  runner::Listed listed;
  RunnerPlaces places;
  bool json = false;
};

std::string folder_of(const session::RunnerFile& found) {
  return std::filesystem::path(found.file).parent_path().string();
}

// Lists RUNNERS. A runner with a faulty manifest is listed without description and versions, and
// its errors are appended to ERRORS.
std::string list_runners(system::Files& files, const std::vector<session::RunnerFile>& runners,
                         bool as_json, Errors& errors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  for (const session::RunnerFile& found : runners) {
    const auto manifest = session::read_manifest(files, found, errors);
    const std::string description = manifest ? manifest->description : "",
                      versions = manifest ? runner::version_range(*manifest) : "";
    json.push_back({{"name", found.name},
                    {"description", description},
                    {"folder", folder_of(found)},
                    {"versions", versions}});
    text += found.name + "\n";
    if (!manifest) text += "  cannot be read; its errors are below\n";
    if (!description.empty()) text += fmt::format("  {}\n", description);
    if (!versions.empty()) text += fmt::format("  {}\n", versions);
    if (manifest) text += fmt::format("  {}\n", runner::counts_of(*manifest));
    text += fmt::format("  {}\n", folder_of(found));
  }
  return as_json ? json.dump(2) + "\n" : text;
}

std::string with_presets(const std::string& json, const std::vector<session::Preset>& presets) {
  auto object = nlohmann::ordered_json::parse(json);
  object["presets"] = nlohmann::ordered_json::array();
  for (const session::Preset& preset : presets)
    object["presets"].push_back(
        {{"name", preset.name}, {"help", preset.help}, {"file", preset.file}});
  return object.dump(2) + "\n";
}

std::string presets_text(const std::string& runner, const std::vector<session::Preset>& presets) {
  if (presets.empty()) return "";
  std::size_t width = 0;
  for (const session::Preset& preset : presets) width = std::max(width, preset.name.size());
  std::string text = "\npresets\n";
  for (const session::Preset& preset : presets)
    text += fmt::format("  {:<{}}  {}\n", preset.name, width, preset.help);
  return text + fmt::format("  a matrix starts from one with `base: preset:{}/NAME`\n", runner);
}

std::string list_runner(const runner::Manifest& manifest, const RunnersOptions& options,
                        const std::vector<session::Preset>& presets) {
  runner::Listed listed = options.listed;
  const bool all = !listed.stages && !listed.parameters && !listed.rules && !listed.facts;
  if (all)
    listed = {.stages = true, .parameters = true, .rules = options.json, .facts = options.json};
  if (options.json) return with_presets(runner::list_json(manifest, listed), presets);
  std::string text = runner::list_text(manifest, listed);
  if (all) text += presets_text(manifest.name, presets);
  if (all) text += "\nalso: --rules, --facts; `orchestrate explain NAME` explains each\n";
  return text;
}

Exit runners(const RunnersOptions& options) {
  system::RealFiles files;
  Errors errors;
  const auto found = find_runners(files, options.places, "", errors);
  std::string text;
  if (options.name.empty()) {
    text = list_runners(files, found, options.json, errors);
    if (found.empty())
      errors.push_back(
          invalid("no runner was found; run from the project's folder, or give --runners DIR"));
  } else {
    const auto file =
        std::ranges::find_if(found, [&](const auto& one) { return one.name == options.name; });
    std::vector<std::string> names;
    for (const session::RunnerFile& one : found) names.push_back(one.name);
    if (file == found.end())
      errors.push_back(invalid(fmt::format("no runner {}; the runners are: {}",
                                           quoted(options.name), join(names, ", "))));
    else if (const auto manifest = session::read_manifest(files, *file, errors))
      text = list_runner(*manifest, options, session::presets_of(files, *file));
  }
  if (!print_out(text)) return Exit::failed;
  print_errors(errors);
  return errors.empty() ? Exit::done : Exit::refused;
}

struct FactsOptions {
  std::string config;
  std::string runner;
  RunnerPlaces places;
};

// The runner that the user names, or the nearest one that reads facts of models.
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

// The facts in the form that a matrix has below `models: NAME:`.
Result<std::string> facts_text(const runner::Manifest& manifest, const std::string& config,
                               const std::string& file) {
  ORCH_ASSIGN(
      const matrix::ModelFacts facts,
      matrix::read_model_facts(manifest.model_facts, config, file, manifest.fact_source->places));
  static constexpr std::string_view k_prefix = "model_";
  std::string text =
      fmt::format("facts:  # from {}, for the runner {}\n", printable(file), manifest.name);
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

void add_runners(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "runners",
      "List the runners, or every parameter of one with its meaning, values, default and versions");
  auto options = std::make_shared<RunnersOptions>();
  command->add_option("NAME", options->name, "A runner: print its versions, stages and parameters");
  command->add_flag("--parameters", options->listed.parameters, "Only its parameters");
  command->add_flag("--stages", options->listed.stages, "Only its stages");
  command->add_flag("--rules", options->listed.rules,
                    "Only its rules: what a point must meet, and why");
  command->add_flag("--facts", options->listed.facts,
                    "Only the facts of models and machines that its rules read");
  add_runner_places(*command, options->places);
  command->add_flag("--json", options->json, "JSON for programs; with NAME, all four sections");
  command->callback([options, &exit_code] { exit_code = status_of(runners(*options)); });
}

void add_facts(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "facts",
      "Print the facts in a model's config.json, to state under `models: NAME:` in a matrix that "
      "is planned where the model is absent");
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
    exit_code = status_of(Exit::refused);
  });
}

}  // namespace orch::cli
