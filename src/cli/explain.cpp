#include "cli/explain.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "cli/experiment.hpp"
#include "cli/reading.hpp"
#include "runner/explain.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct ExplainOptions {
  std::string name;
  std::string runner;
};

// The runners of the nearest project, or the one that is asked for, wherever it stands. A faulty one is told, and the
// others are still looked through.
std::vector<runner::Manifest> read_runners(const ExplainOptions& options, Errors& errors) {
  system::RealFiles files;
  std::vector<runner::Manifest> manifests;
  std::vector<std::string> names;
  const auto runners = runners_near(files, "");
  for (const RunnerFile& file : runners) {
    names.push_back(file.name);
    if (options.runner.empty() ? file.project != runners.front().project : file.name != options.runner) continue;
    const auto text = files.read_text(file.file, YamlLimits{}.bytes);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    const std::size_t before = errors.size();
    runner::Manifest manifest = runner::parse_manifest(*text, file.file, errors);
    if (errors.size() == before) manifests.push_back(std::move(manifest));
  }
  if (names.empty()) errors.push_back(invalid("no runner here; run from the project's folder"));
  else if (!options.runner.empty() && std::find(names.begin(), names.end(), options.runner) == names.end())
    errors.push_back(invalid(fmt::format("no runner {}; there is {}", quoted(options.runner), join(names, ", "))));
  return manifests;
}

Error unknown_name(const std::string& name, const std::vector<runner::Manifest>& manifests) {
  std::vector<std::string> known, runners;
  for (const runner::Manifest& manifest : manifests) {
    const auto names = runner::names_of(manifest);
    known.insert(known.end(), names.begin(), names.end());
    runners.push_back(manifest.name);
  }
  const std::string near = did_you_mean(name, known);
  return invalid(fmt::format("no stage, rule, parameter or fact {} in {}{}", quoted(name), join(runners, ", "),
                             near.empty() ? "; there is " + join(known, ", ") : near));
}

int explain(const ExplainOptions& options) {
  Errors errors;
  const auto manifests = read_runners(options, errors);
  std::vector<std::string> texts;
  for (const runner::Manifest& manifest : manifests)
    if (std::string text = runner::explain(manifest, options.name); !text.empty()) texts.push_back(std::move(text));
  if (texts.empty() && !manifests.empty()) errors.push_back(unknown_name(options.name, manifests));
  print_errors(errors);
  print_out(join(texts, "\n"));
  return texts.empty() || (!errors.empty() && !options.runner.empty()) ? 2 : 0;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("explain", "What a stage, rule, parameter or fact of a runner is, reads and depends on");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option("NAME", options->name, "A stage, rule, parameter or fact")->required();
  command->add_option("--runner", options->runner, "Only of this runner (default: every runner that has it)");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace orch::cli
