#include "cli/experiment.hpp"

#include "base/text.hpp"

#include <unistd.h>

#include <cstdio>

namespace orch::cli {

namespace fs = std::filesystem;

namespace {

std::string own_binary() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).string();
}

// The nearest folder that holds runners/: above the matrix, above the working directory, above the binary.
std::vector<fs::path> project_candidates(const std::string& matrix_file) {
  std::vector<fs::path> starts = {fs::absolute(matrix_file).parent_path(), fs::current_path(), fs::path(own_binary()).parent_path()};
  std::vector<fs::path> candidates;
  for (fs::path folder : starts) {
    for (;; folder = folder.parent_path()) {
      if (fs::is_directory(folder / "runners")) candidates.push_back(folder);
      if (folder == folder.root_path() || folder.empty()) break;
    }
  }
  return candidates;
}

std::vector<std::string> runners_in(const std::vector<fs::path>& projects) {
  std::vector<std::string> names;
  for (const fs::path& project : projects)
    for (const auto& entry : fs::directory_iterator(project / "runners"))
      if (fs::exists(entry.path() / "runner.yaml")) names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

Experiment load_experiment(system::Files& files, const std::string& matrix_file, Errors& errors) {
  Experiment experiment;
  auto text = files.read(matrix_file);
  if (!text) {
    errors.push_back(text.error());
    return experiment;
  }
  experiment.matrix_text = std::move(*text);
  experiment.matrix = matrix::parse_matrix(experiment.matrix_text, matrix_file, errors);
  if (experiment.matrix.runner.empty()) return experiment;
  const auto projects = project_candidates(matrix_file);
  for (const fs::path& project : projects)
    if (experiment.project.empty() && fs::exists(project / "runners" / experiment.matrix.runner / "runner.yaml")) experiment.project = project.string();
  if (experiment.project.empty()) {
    const auto known = runners_in(projects);
    errors.push_back(invalid(fmt::format("no runner '{}' (runners/{}/runner.yaml){}", experiment.matrix.runner, experiment.matrix.runner,
                                         known.empty() ? std::string("; run from the project's folder") : did_you_mean(experiment.matrix.runner, known)),
                             experiment.matrix.runner_where));
    return experiment;
  }
  const std::string manifest_file = fmt::format("{}/runners/{}/runner.yaml", experiment.project, experiment.matrix.runner);
  auto manifest_text = files.read(manifest_file);
  if (!manifest_text) {
    errors.push_back(manifest_text.error());
    return experiment;
  }
  experiment.manifest = runner::parse_manifest(*manifest_text, fs::path(manifest_file).lexically_proximate(fs::current_path()).string(), errors);
  if (!errors.empty()) return experiment;
  for (auto& [name, model] : experiment.matrix.models)
    if (model.source.starts_with("local:"))
      model.source = "local:" + fs::weakly_canonical(fs::absolute(matrix_file).parent_path() / model.source.substr(6)).string();
  experiment.expansion = matrix::expand(experiment.matrix, experiment.manifest.vocabulary(), errors);
  return experiment;
}

execute::Layout layout_of(const Experiment& experiment, const std::string& store_folder) {
  return {.store = fs::absolute(store_folder).lexically_normal().string(), .project = experiment.project,
          .runner = experiment.project + "/runners/" + experiment.matrix.runner, .orchestrate = own_binary()};
}

void print_errors(const Errors& errors) {
  for (const Error& error : errors) fmt::print(stderr, "{}\n", error.text());
}

}  // namespace orch::cli
