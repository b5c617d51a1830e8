#include "cli/experiment.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "cli/say.hpp"

#include <unistd.h>

#include <cstdio>

namespace orch::cli {

namespace fs = std::filesystem;

namespace {

std::string own_binary() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).string();
}

// Folders that hold runners/, nearest first: above the matrix, above the working directory, above the binary.
std::vector<fs::path> project_candidates(const std::string& matrix_file) {
  std::error_code code;
  const std::vector<fs::path> starts = {fs::absolute(matrix_file, code).parent_path(), fs::current_path(code), fs::path(own_binary()).parent_path()};
  std::vector<fs::path> candidates;
  for (fs::path folder : starts) {
    for (; !folder.empty(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "runners", code)) candidates.push_back(folder);
      if (folder == folder.root_path()) break;
    }
  }
  return candidates;
}

std::vector<std::string> runners_in(system::Files& files, const std::vector<fs::path>& projects) {
  std::vector<std::string> runners;
  for (const fs::path& project : projects)
    for (const std::string& name : files.names((project / "runners").string()).value_or({}))
      if (files.exists((project / "runners" / name / "runner.yaml").string())) runners.push_back(name);
  return runners;
}

// As short as it can be said from here.
std::string shown_path(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  return code ? path : fs::path(path).lexically_proximate(here).string();
}

// PATH as the matrix means it: relative to its own folder.
std::string absolute_beside(const std::string& matrix_file, const std::string& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(matrix_file, code).parent_path() / path;
  const fs::path canonical = fs::weakly_canonical(absolute, code);
  return (code ? absolute : canonical).string();
}

}  // namespace

Experiment load_experiment(system::Files& files, const std::string& matrix_file, Errors& errors) {
  Experiment experiment;
  auto text = files.read_text(matrix_file, YamlLimits{}.bytes);
  if (!text) {
    errors.push_back(text.error());
    return experiment;
  }
  experiment.matrix_text = std::move(*text);
  experiment.matrix = matrix::parse_matrix(experiment.matrix_text, matrix_file, errors);
  if (experiment.matrix.runner.empty()) return experiment;
  const auto projects = project_candidates(matrix_file);
  for (const fs::path& project : projects)
    if (experiment.project.empty() && files.exists((project / "runners" / experiment.matrix.runner / "runner.yaml").string())) experiment.project = project.string();
  if (experiment.project.empty()) {
    const auto known = runners_in(files, projects);
    errors.push_back(invalid(fmt::format("no runner '{}' (runners/{}/runner.yaml){}", experiment.matrix.runner, experiment.matrix.runner,
                                         known.empty() ? std::string("; run from the project's folder") : did_you_mean(experiment.matrix.runner, known)),
                             experiment.matrix.runner_where));
    return experiment;
  }
  const std::string manifest_file = fmt::format("{}/runners/{}/runner.yaml", experiment.project, experiment.matrix.runner);
  auto manifest_text = files.read_text(manifest_file, YamlLimits{}.bytes);
  if (!manifest_text) {
    errors.push_back(manifest_text.error());
    return experiment;
  }
  experiment.manifest = runner::parse_manifest(*manifest_text, shown_path(manifest_file), errors);
  if (!errors.empty()) return experiment;
  for (auto& [name, model] : experiment.matrix.models)
    if (model.source.starts_with("local:"))
      model.source = "local:" + absolute_beside(matrix_file, model.source.substr(6));
  experiment.expansion = matrix::expand(experiment.matrix, experiment.manifest.vocabulary(), {}, errors);
  return experiment;
}

execute::Layout layout_of(const Experiment& experiment, const std::string& store_folder) {
  std::error_code code;
  const fs::path store = fs::weakly_canonical(store_folder, code);
  return {.store = (code ? fs::path(store_folder) : store).string(), .project = experiment.project,
          .runner = experiment.project + "/runners/" + experiment.matrix.runner, .orchestrate = own_binary()};
}

void print_errors(const Errors& errors) {
  for (const Error& error : errors) say(stderr, "{}\n", error.text());
}

}  // namespace orch::cli
