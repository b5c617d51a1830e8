#include "app/init/new_runner.hpp"

#include "app/init/starting_matrix.hpp"
#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/list_manifest.hpp"

#include <unistd.h>

namespace orch::session {

namespace {

constexpr std::string_view k_model = "model";
constexpr std::string_view k_source = "generate:nano";
constexpr int k_requests = 4;

// A parameter of the point and its value, as YAML.
using Row = std::pair<std::string, std::string>;

// The first allowed value of PARAMETER, or else WANTED within its limits.
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
            "no model: the help of the parameter 'model' does not mention generate:nano; run a "
            "matrix of your own");
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
  return invalid("no stage reads a parameter, but a matrix needs one for its axis");
}

}  // namespace

namespace fs = std::filesystem;

namespace {

constexpr const char* k_template = "templates/new_runner";
constexpr const char* k_matrix = "matrix.yaml";  // in the template; it is placed beside runners/
constexpr std::string_view k_reserved = "common";

Status refuse_name(const std::string& name, const std::vector<RunnerFile>& known) {
  if (const auto why = matrix::refuse_free_name(name))
    return invalid(fmt::format("a runner cannot be called {}: {}", quoted(name), *why));
  if (name == k_reserved)
    return invalid(
        "a runner cannot be called 'common': runners/common/ has what all runners share; choose "
        "another name");
  const auto same = std::ranges::find(known, name, &RunnerFile::name);
  if (same == known.end()) return {};
  return invalid(fmt::format("there is a runner {} already, {}; choose another name", quoted(name),
                             same->file));
}

// The files of the template, filled in, by path relative to its folder.
Result<std::vector<std::pair<std::string, std::string>>> filled(system::Files& files,
                                                                const std::string& name) {
  const std::string manifest = project_file(fmt::format("{}/runner.yaml", k_template));
  if (manifest.empty())
    return not_found(
        fmt::format("{}/ was not found; run from the project's folder, or install the "
                    "program with its templates",
                    k_template));
  const fs::path folder = fs::path(manifest).parent_path();
  ORCH_ASSIGN(const auto entries, files.list(folder.string()));
  std::vector<std::pair<std::string, std::string>> texts;
  for (const system::FileEntry& entry : entries) {
    const fs::path path = folder / entry.path;
    if (path.string().find("__pycache__") != std::string::npos) continue;
    ORCH_ASSIGN(std::string text, files.read(path.string()));
    if (text.find("${name}") != std::string::npos) {
      Errors errors;
      text = render::fill(text, path.string(), {{"name", name}}, errors);
      if (!errors.empty()) return errors.front();
    }
    texts.emplace_back(entry.path, std::move(text));
  }
  return texts;
}

Status refuse_existing(system::Files& files, const std::string& path) {
  if (!files.exists(path)) return {};
  return invalid(fmt::format("{} exists; remove it, or choose another name", path));
}

}  // namespace

Result<NewRunnerPaths> write_new_runner(system::Files& files, const NewRunner& wanted,
                                        const std::vector<RunnerFile>& known) {
  ORCH_TRY(refuse_name(wanted.name, known));
  const fs::path runners = fs::path(wanted.folder) / "runners";
  const NewRunnerPaths paths{
      .runner = (runners / wanted.name).lexically_normal().string(),
      .matrix = (fs::path(wanted.folder) / (wanted.name + ".yaml")).lexically_normal().string()};
  ORCH_TRY(refuse_existing(files, paths.runner));
  ORCH_TRY(refuse_existing(files, paths.matrix));
  ORCH_ASSIGN(const auto texts, filled(files, wanted.name));
  // One level deeper than runners, so that the search for runners does not find the incomplete one.
  const fs::path passing = runners / fmt::format(".new-{}", ::getpid()),
                 whole = passing / wanted.name;
  ORCH_TRY(files.remove_tree(passing.string()));
  std::string matrix;
  for (const auto& [path, text] : texts) {
    if (path == k_matrix) {
      matrix = text;
      continue;
    }
    ORCH_TRY(files.make_folder((whole / path).parent_path().string()));
    ORCH_TRY(files.put((whole / path).string(), text));
  }
  ORCH_TRY(files.sync_tree(whole.string()));
  ORCH_TRY(files.rename(whole.string(), paths.runner));
  ORCH_TRY(files.remove_tree(passing.string()));
  ORCH_TRY(files.write(paths.matrix, matrix));
  return paths;
}

Result<std::string> toy_matrix(const runner::Manifest& manifest) {
  ORCH_ASSIGN(const std::vector<Row> rows, rows_of(manifest));
  std::string text = fmt::format("name: check\nrunner: {}\n", manifest.name);
  const auto model = std::ranges::find(rows, k_model, &Row::first);
  if (model != rows.end())
    text += fmt::format("models: {{{}: {{source: \"{}\"}}}}\n", model->second, k_source);
  text += "axes:\n";
  for (const auto& [name, value] : rows) text += fmt::format("  {}: [{}]\n", name, value);
  // The limits are wide, because other work on the machine is not the runner's fault.
  return text +
         "measure:\n  warmup: \"1\"\n"
         "  limits: {wake_lag_ms: 10000, send_lag_ms: 10000, client_cpu_share: 1000}\n";
}

}  // namespace orch::session
