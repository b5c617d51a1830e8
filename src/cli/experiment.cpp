#include "cli/experiment.hpp"

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "cli/say.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>

namespace orch::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_local = "local:";

std::string own_binary() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).string();
}

// Folders that hold runners/, nearest first; that of a binary that was copied out of its project,
// last.
std::vector<fs::path> projects_near(const std::string& near) {
  std::error_code code;
  std::vector<fs::path> starts = {fs::current_path(code), fs::path(own_binary()).parent_path(),
                                  build_project()};
  if (!near.empty()) starts.insert(starts.begin(), fs::absolute(near, code));
  std::vector<fs::path> projects;
  for (fs::path folder : starts) {
    for (; !folder.empty(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "runners", code)) projects.push_back(folder);
      if (folder == folder.root_path()) break;
    }
  }
  return projects;
}

// As short as it can be said from here.
std::string shown_path(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  return code ? path : fs::path(path).lexically_proximate(here).string();
}

// PATH as the FILE that says it means it: relative to its own folder.
std::string absolute_beside(const std::string& file, const std::string& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(file, code).parent_path() / path;
  const fs::path canonical = fs::weakly_canonical(absolute, code);
  return (code ? absolute : canonical).string();
}

void make_local_absolute(std::string& source, const Location& where) {
  if (source.starts_with(k_local))
    source = std::string(k_local) + absolute_beside(where.file, source.substr(k_local.size()));
}

void make_paths_absolute(matrix::Matrix& matrix) {
  for (auto& [name, model] : matrix.models) make_local_absolute(model.source, model.where);
  for (auto& [name, dataset] : matrix.datasets) make_local_absolute(dataset.source, dataset.where);
  for (matrix::Provision& provision : matrix.provide)
    provision.path = absolute_beside(provision.where.file, provision.path);
}

void read_matrix(system::Files& files, Experiment& experiment, Errors& errors) {
  const std::string& file = experiment.options.matrix_file;
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) return errors.push_back(text.error());
  experiment.matrix_text = *text;
  experiment.matrix = matrix::parse_matrix(
      *text, file, errors, [&](const std::string& path) -> Result<std::string> {
        ORCH_ASSIGN(std::string base, files.read_text(path, YamlLimits{}.bytes));
        experiment.matrix_text += fmt::format("\n# --- base: {}\n{}", path, base);
        return base;
      });
  make_paths_absolute(experiment.matrix);
}

void read_runner(system::Files& files, Experiment& experiment, Errors& errors) {
  const matrix::Matrix& matrix = experiment.matrix;
  if (matrix.runner.empty()) return;
  const auto runners = runners_near(files, experiment.options.matrix_file);
  const auto runner = std::find_if(runners.begin(), runners.end(), [&](const RunnerFile& one) {
    return one.name == matrix.runner;
  });
  if (runner == runners.end()) {
    std::vector<std::string> names;
    for (const RunnerFile& one : runners) names.push_back(one.name);
    const std::string help = names.empty() ? std::string("; run from the project's folder")
                                           : did_you_mean(matrix.runner, names);
    errors.push_back(
        invalid(fmt::format("no runner '{0}' (runners/{0}/runner.yaml){1}", matrix.runner,
                            help.empty() ? fmt::format("; there is {}", join(names, ", ")) : help),
                matrix.runner_where));
    return;
  }
  experiment.project = runner->project;
  experiment.manifest = read_manifest(files, runner->file, errors);
}

matrix::StatedMachine stated_machine(system::Files& files, const Experiment& experiment,
                                     Errors& errors) {
  if (!experiment.options.machine_file.empty())
    return read_machine_file(files, experiment.options.machine_file, errors);
  return experiment.matrix.machine.empty() ? experiment.site.machine : experiment.matrix.machine;
}

}  // namespace

std::string build_project() { return ORCH_PROJECT; }

void add_experiment_options(CLI::App& command, ExperimentOptions& options) {
  command.add_option("MATRIX", options.matrix_file, "The matrix file")->required();
  command
      .add_option(
          "--where", options.where,
          "Only the points for which this SQL is true: \"isl = 128 AND precision <> 'f16'\"")
      ->check([](const std::string& sql) {
        return sql.empty()        ? "it is empty; write an SQL predicate, or leave --where out"
               : find_secret(sql) ? "it holds what looks like a token, and commands are stored"
                                  : "";
      });
  command.add_option(
      "--machine", options.machine_file,
      "A YAML file that states the machine: gpus, gpu_model, gpu_memory_gib, mig, cpu_model, cpus");
  command.add_option("--site", options.site_file,
                     "The site file (default: ~/.config/orchestrate/site.yaml)");
  command
      .add_option("--repeats", options.repeats,
                  "Measurements of each load, instead of the matrix's repeats.measure")
      ->check(CLI::Range(1, 1000));
}

std::vector<RunnerFile> runners_near(system::Files& files, const std::string& near) {
  std::vector<RunnerFile> runners;
  std::set<std::string> known;
  for (const fs::path& project : projects_near(near)) {
    for (const std::string& name : files.names((project / "runners").string()).value_or({})) {
      const std::string file = (project / "runners" / name / "runner.yaml").string();
      if (files.exists(file) && known.insert(name).second)
        runners.push_back({.name = name, .project = project.string(), .file = shown_path(file)});
    }
  }
  return runners;
}

std::string project_file(const std::string& relative) {
  std::error_code code;
  for (const fs::path& project : projects_near(""))
    if (fs::is_regular_file(project / relative, code)) return (project / relative).string();
  return "";
}

std::optional<runner::Manifest> read_manifest(system::Files& files, const std::string& file,
                                              Errors& errors) {
  const std::size_t before = errors.size();
  auto read = [&](const std::string& path) { return files.read_text(path, YamlLimits{}.bytes); };
  const auto text = read(file);
  if (!text) {
    errors.push_back(text.error());
    return std::nullopt;
  }
  runner::Manifest manifest = runner::parse_manifest(*text, file, errors, read);
  return errors.size() == before ? std::optional(std::move(manifest)) : std::nullopt;
}

Experiment load_experiment(system::Files& files, const ExperimentOptions& options, Errors& errors) {
  Experiment experiment;
  experiment.options = options;
  read_matrix(files, experiment, errors);
  if (options.repeats) experiment.matrix.measure.repeats = options.repeats;
  read_runner(files, experiment, errors);
  experiment.site = read_site(files, options.site_file, errors);
  experiment.machine = system::detect_machine();
  experiment.stated = stated_machine(files, experiment, errors);
  experiment.host = host_of(experiment.stated, experiment.machine);
  return experiment;
}

attempt::Layout layout_of(const Experiment& experiment, const std::string& store_folder) {
  std::error_code code;
  const fs::path store = fs::weakly_canonical(store_folder, code);
  return {.store = (code ? fs::path(store_folder) : store).string(),
          .project = experiment.project,
          .runner = experiment.project + "/runners/" + experiment.matrix.runner,
          .orchestrate = own_binary()};
}

void print_errors(const Errors& errors) {
  for (const Error& error : errors) say(stderr, "{}\n", printable(error.text()));
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say(stderr, "warning: {}\n", printable(warning));
}

}  // namespace orch::cli
