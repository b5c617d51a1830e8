#include "app/init/new_runner.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/template.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* k_template = "templates/new_runner";
constexpr const char* k_matrix = "matrix.yaml";  // of the template; it goes beside runners/
constexpr std::string_view k_reserved = "common";

Status refuse_name(const std::string& name, const std::vector<RunnerFile>& known) {
  if (const auto why = matrix::refuse_free_name(name))
    return invalid(fmt::format("a runner cannot be called {}: {}", quoted(name), *why));
  if (name == k_reserved)
    return invalid(
        "a runner cannot be called 'common': runners/common/ has what all runners share; choose "
        "another name");
  const auto same =
      std::ranges::find_if(known, [&](const RunnerFile& one) { return one.name == name; });
  if (same == known.end()) return {};
  return invalid(fmt::format("there is a runner {} already, {}; choose another name", quoted(name),
                             same->file));
}

// The files of the template, filled in, by path relative to its folder.
Result<std::vector<std::pair<std::string, std::string>>> filled(system::Files& files,
                                                                const std::string& name) {
  const std::string manifest = project_file(fmt::format("{}/runner.yaml", k_template));
  if (manifest.empty())
    return Error{ErrorKind::not_found,
                 fmt::format("{}/ was not found; run from the project's folder, or install the "
                             "program with its templates",
                             k_template),
                 {}};
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
  // No search for runners looks so deep.
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

}  // namespace orch::session
