#include "cli/commands.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "experiment/project.hpp"
#include "cli/explain_metric.hpp"
#include "cli/reading.hpp"
#include "cli/say.hpp"
#include "attempt/failure.hpp"
#include "matrix/facts.hpp"
#include "runner/explain_manifest.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct ExplainOptions {
  std::string name;
  std::string runner;
};

// The runners of the nearest project, or the one that the user names in any project. A faulty
// manifest is reported and skipped.
std::vector<runner::Manifest> read_runners(const ExplainOptions& options, Errors& errors) {
  system::RealFiles files;
  std::vector<runner::Manifest> manifests;
  std::vector<std::string> names;
  const auto runners = experiment::runners_near(files, "");
  for (const experiment::RunnerFile& file : runners) {
    names.push_back(file.name);
    if (options.runner.empty() ? file.project != runners.front().project
                               : file.name != options.runner)
      continue;
    if (auto manifest = experiment::read_manifest(files, file.file, errors))
      manifests.push_back(std::move(*manifest));
  }
  if (names.empty())
    errors.push_back(invalid("no runner was found; run from the project's folder"));
  else if (!options.runner.empty() &&
           std::find(names.begin(), names.end(), options.runner) == names.end())
    errors.push_back(invalid(fmt::format("no runner {}; the runners are: {}",
                                         quoted(options.runner), join(names, ", "))));
  return manifests;
}

// Explains a failure class; "" for any other NAME.
std::string explain_failure(const std::string& name) {
  const attempt::FailureClass* failure = attempt::find_failure_class(name);
  if (!failure) return "";
  const bool again = failure->kind == attempt::FailureKind::harness;
  return fmt::format(
      "failure {} ({})\n\nmeans\n  {}\n\n{}\n", failure->name, attempt::to_string(failure->kind),
      failure->meaning,
      again ? "The machine or the harness failed: the stage is retried with exponential backoff."
            : "The system under test failed. The failure is a result; only --retry-failed retries "
              "the stage.");
}

// MANIFESTS is empty outside a project.
Error unknown_name(const std::string& name, const std::vector<runner::Manifest>& manifests) {
  static constexpr std::size_t k_listed = 24;
  std::vector<std::string> known, stages, runners;
  for (const runner::Manifest& manifest : manifests) {
    const auto names = runner::names_of(manifest);
    known.insert(known.end(), names.begin(), names.end());
    for (const runner::StageKind& stage : manifest.stages)
      if (std::find(stages.begin(), stages.end(), stage.name) == stages.end())
        stages.push_back(stage.name);
    runners.push_back(manifest.name);
  }
  std::string listed =
      known.size() <= k_listed
          ? "; the names are " + join(known, ", ")
          : fmt::format(
                "; the stages are {}, and `orchestrate explain STAGE` shows what each reads",
                join(stages, ", "));
  if (manifests.empty()) listed.clear();
  else
    for (const matrix::Parameter& fact : matrix::host_facts()) known.push_back(fact.name);
  for (const attempt::FailureClass& failure : attempt::failure_classes())
    known.emplace_back(failure.name);
  for (std::string& metric : metric_names()) known.push_back(std::move(metric));
  const std::string near = did_you_mean(name, known);
  const std::string of_runners =
      manifests.empty() ? ""
                        : fmt::format("{} is no stage, rule, parameter or fact of {}, and ",
                                      quoted(name), join(runners, ", "));
  return invalid(fmt::format(
      "{}no metric or failure class{}{}", of_runners, manifests.empty() ? " " + quoted(name) : "",
      near.empty() ? fmt::format("{}; the metrics are {}", listed, join(metric_names(), ", "))
                   : near));
}

int explain(const ExplainOptions& options) {
  // Failure classes and metrics are known outside a project as well.
  std::string everywhere;
  if (options.runner.empty())
    everywhere = explain_failure(options.name) + explain_metric(options.name);
  Errors errors;
  const auto manifests = read_runners(options, errors);
  std::vector<std::string> texts;
  if (!everywhere.empty()) texts.push_back(everywhere);
  for (const runner::Manifest& manifest : manifests)
    if (std::string text = runner::explain(manifest, options.name); !text.empty())
      texts.push_back(std::move(text));
  if (texts.empty() && options.runner.empty())
    for (const std::string& metric : metrics_matching(options.name))
      texts.push_back(explain_metric(metric));
  if (!texts.empty() && manifests.empty()) errors.clear();
  if (texts.empty() && (options.runner.empty() || !manifests.empty()))
    errors.push_back(unknown_name(options.name, manifests));
  print_errors(errors);
  print_out(join(texts, "\n"));
  return texts.empty() || (!errors.empty() && !options.runner.empty()) ? 2 : 0;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("explain",
                         "Explain a metric (and how other tools compute it), a failure class, or a "
                         "stage, rule, parameter or fact of a runner (and its inputs)");
  auto options = std::make_shared<ExplainOptions>();
  command
      ->add_option("NAME", options->name,
                   "A metric such as ttft or ttft_ms_p99, a stage, rule, parameter or fact, or a "
                   "failure class such as cuda_oom")
      ->required();
  command->add_option("--runner", options->runner,
                      "Only in this runner (default: in every runner)");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace orch::cli
