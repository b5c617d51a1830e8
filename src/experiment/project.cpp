#include "experiment/project.hpp"

#include "base/yaml.hpp"

#include <filesystem>
#include <set>

namespace orch::experiment {

namespace fs = std::filesystem;

namespace {

// Folders that hold runners/, nearest first. The project of the build comes last: it serves a
// binary that was copied out of its project.
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

std::string shown_path(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  return code ? path : fs::path(path).lexically_proximate(here).string();
}

}  // namespace

std::string own_binary() {
  std::error_code code;
  return fs::read_symlink("/proc/self/exe", code).string();
}

std::string build_project() { return ORCH_PROJECT; }

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

}  // namespace orch::experiment
