#include "app/cli/commands.hpp"
#include "app/cli/explain/explain_metric.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "app/session/project.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "results/tables/views.hpp"
#include "run/attempt/failure.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/explain_manifest.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::size_t k_similar_names = 3;

struct ExplainOptions {
  std::string name;
  std::string runner;
  RunnerPlaces places;
};

std::string folder_of_runners(const session::RunnerFile& runner) {
  return std::filesystem::path(runner.folder).parent_path().string();
}

// The manifests of the runners of the nearest project, or of the runner that the user names, in any
// project. Reports and skips faulty manifests.
std::vector<runner::Manifest> read_runners(const ExplainOptions& options, Errors& errors) {
  system::RealFiles files;
  std::vector<runner::Manifest> manifests;
  std::vector<std::string> names;
  const auto runners = find_runners(files, options.places, "", errors);
  for (const session::RunnerFile& file : runners) {
    names.push_back(file.name);
    if (options.runner.empty() ? folder_of_runners(file) != folder_of_runners(runners.front())
                               : file.name != options.runner)
      continue;
    if (auto manifest = session::read_manifest(files, file, errors))
      manifests.push_back(std::move(*manifest));
  }
  if (names.empty())
    errors.push_back(
        invalid("no runner was found; run from the project's folder, or give --runners DIR"));
  else if (!options.runner.empty() && std::ranges::find(names, options.runner) == names.end())
    errors.push_back(invalid(fmt::format("no runner {}; the runners are: {}",
                                         quoted(options.runner), join(names, ", "))));
  return manifests;
}

// The explanation of a failure class; "" if NAME is not a failure class.
std::string explain_failure(const std::string& name) {
  const auto known = parse_name<attempt::FailureClass>(name);
  if (!known) return "";
  const attempt::FailureTraits& failure = attempt::traits_of(*known);
  const bool again = failure.kind == attempt::FailureKind::harness;
  return fmt::format(
      "failure {} ({})\n\nmeans\n  {}\n\n{}\n", name, to_string(failure.kind), failure.meaning,
      again ? "The machine or the harness failed: the stage is retried with exponential backoff."
            : "The system under test failed. The failure is a result; only --retry-failed retries "
              "the stage.");
}

// The explanation of a column of the views, each meaning with its views; "" if NAME is not such a
// column.
std::string explain_column(const std::string& name) {
  std::vector<std::string> texts;
  for (const tables::ViewColumn& column : tables::view_columns())
    if (column.name == name)
      texts.push_back(fmt::format("column {} of {}\n\nis\n  {}\n", column.name,
                                  join(column.of_views(), ", "), column.what));
  return join(texts, "\n");
}

// The non-empty TEXTS with blank lines between them.
std::string join_texts(std::vector<std::string> texts) {
  std::erase(texts, "");
  return join(texts, "\n");
}

// The error about a NAME that cannot be explained. MANIFESTS is empty outside a project.
Error unknown_name(const std::string& name, const std::vector<runner::Manifest>& manifests) {
  std::vector<std::string> known, runners;
  for (const runner::Manifest& manifest : manifests) {
    const auto names = runner::names_of(manifest);
    known.insert(known.end(), names.begin(), names.end());
    runners.push_back(manifest.name);
  }
  if (!manifests.empty())
    for (const matrix::Parameter& fact : matrix::host_facts()) known.push_back(fact.name);
  for (const attempt::FailureTraits& failure : attempt::failure_classes())
    known.emplace_back(failure.name());
  for (const tables::ViewColumn& column : tables::view_columns()) known.emplace_back(column.name);
  for (std::string& metric : metric_names()) known.push_back(std::move(metric));
  const std::vector<std::string> similar = most_similar(name, known, k_similar_names);
  const std::string of_runners =
      manifests.empty() ? "no "
                        : fmt::format("{} is not a stage, rule, parameter or fact of {}, nor a ",
                                      quoted(name), join(runners, ", "));
  return invalid(fmt::format("{}metric, column or failure class{}{}", of_runners,
                             manifests.empty() ? " " + quoted(name) : "",
                             similar.empty() ? "; `orchestrate explain` alone lists every name"
                                             : "; did you mean " + one_of(similar) + "?"));
}

// Every name that can be explained, by kind.
std::string explainable_names(const std::vector<runner::Manifest>& manifests) {
  std::string out;
  const auto list = [&](std::string_view kind, const std::vector<std::string>& names) {
    if (!names.empty()) out += fmt::format("{}\n  {}\n\n", kind, join(names, " "));
  };
  for (const runner::Manifest& manifest : manifests) {
    list(fmt::format("stages, rules, parameters and facts of runner {}", manifest.name),
         runner::names_of(manifest));
  }
  std::vector<std::string> hosts, classes, columns;
  for (const matrix::Parameter& fact : matrix::host_facts()) hosts.push_back(fact.name);
  for (const attempt::FailureTraits& failure : attempt::failure_classes())
    classes.emplace_back(failure.name());
  for (const tables::ViewColumn& column : tables::view_columns())
    if (columns.empty() || columns.back() != column.name) columns.emplace_back(column.name);
  list("facts of the machine", hosts);
  list("metrics, each with _sd, _min, _max, _p50 to _p999 and _n where it has statistics",
       metric_names());
  list("columns of the views", columns);
  list("failure classes", classes);
  out.pop_back();
  return out;
}

// Explains a figure of another tool: "genai-perf.itl_ms".
Exit explain_figure(const std::string& name) {
  const std::string text = explain_tool(name);
  if (text.empty())
    print_errors({invalid(fmt::format("no figure {}; {}", quoted(name), figures_of_tool(name)))});
  print_out(text);
  return text.empty() ? Exit::refused : Exit::done;
}

Exit explain(const ExplainOptions& options) {
  if (names_tool(options.name)) return explain_figure(options.name);
  Errors errors;
  const auto manifests = read_runners(options, errors);
  if (options.name.empty()) {
    if (manifests.empty() && options.runner.empty()) errors.clear();
    print_errors(errors);
    print_out(explainable_names(manifests));
    return errors.empty() ? Exit::done : Exit::refused;
  }
  std::vector<std::string> texts;
  for (const runner::Manifest& manifest : manifests)
    if (std::string text = runner::explain(manifest, options.name); !text.empty())
      texts.push_back(std::move(text));
  // Failure classes, columns and metrics do not depend on projects or runners.
  if (options.runner.empty() || texts.empty()) {
    std::string everywhere =
        join_texts({explain_failure(options.name), explain_metric(options.name),
                    explain_column(options.name)});
    if (!everywhere.empty()) texts.insert(texts.begin(), std::move(everywhere));
  }
  if (texts.empty())
    for (const std::string& metric : metrics_matching(options.name))
      texts.push_back(explain_metric(metric));
  if (!texts.empty() && manifests.empty() && options.runner.empty()) errors.clear();
  if (texts.empty() && (options.runner.empty() || !manifests.empty()))
    errors.push_back(unknown_name(options.name, manifests));
  print_errors(errors);
  print_out(join(texts, "\n"));
  const bool is_unknown = texts.empty() || (!errors.empty() && !options.runner.empty());
  return is_unknown ? Exit::refused : Exit::done;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Explain a metric (and how other tools compute it), a column of the views, "
      "a failure class, or a stage, rule, parameter or fact of a runner (and "
      "its inputs); without NAME: list the names");
  auto options = std::make_shared<ExplainOptions>();
  command->add_option(
      "NAME", options->name,
      "A metric such as ttft or ttft_ms_p99, a tool's figure such as genai-perf.itl, a "
      "column such as warnings, a stage, rule, parameter or fact, or a failure "
      "class such as cuda_oom");
  command->add_option("--runner", options->runner,
                      "Stages, rules, parameters and facts of this runner alone (default: of "
                      "every runner)");
  add_runner_places(*command, options->places);
  command->callback([options, &exit_code] { exit_code = status_of(explain(*options)); });
}

}  // namespace orch::cli
