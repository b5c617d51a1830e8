#include "app/session/stage_scripts.hpp"

#include "core/base/text.hpp"
#include "app/session/stage_files.hpp"
#include "os/system/run_to_end.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* k_python = "/usr/bin/python3";
constexpr const char* k_parser = "runners/common/scripts/check_scripts.py";
constexpr std::size_t k_first_line_bytes = 128;
constexpr std::size_t k_most_output = 16 << 20;

enum class Language { python, sh, bash, other };

std::string canonical(const std::string& path) {
  std::error_code code;
  const std::string real = fs::canonical(path, code).string();
  return code ? path : real;
}

// PATH as messages show it.
std::string as_shown(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  return code ? path : fs::path(path).lexically_proximate(here).string();
}

class Scripts {
 public:
  Scripts(World& world, const RunnerFile& runner, Errors& errors)
      : world_(world), runner_(runner), errors_(errors) {}

  void check(const runner::Manifest& manifest) {
    for (const runner::StageKind& stage : manifest.stages) add(stage);
    read_python();
    for (const auto& [path, language] : languages_)
      if (language == Language::sh || language == Language::bash) check_shell(path, language);
    for (const runner::StageKind& stage : manifest.stages) check_imports(stage);
    note_unlisted();
  }

  ScriptsRead found;

 private:
  void add(const runner::StageKind& stage) {
    for (const auto& [file, where] : stage.named_files) {
      const std::string path = canonical(path_of(runner_, file));
      if (!languages_.contains(path)) languages_[path] = language_of(path);
    }
  }

  // By the end of the name, else by the first line.
  Language language_of(const std::string& path) {
    if (path.ends_with(".py")) return Language::python;
    const std::string text = world_.files.read_block(path, 0, k_first_line_bytes).value_or("");
    const std::string first = text.starts_with("#!") ? text.substr(0, text.find('\n')) : "";
    if (first.find("python") != std::string::npos) return Language::python;
    if (first.find("bash") != std::string::npos) return Language::bash;
    return first.ends_with("/sh") || path.ends_with(".sh") ? Language::sh : Language::other;
  }

  // What COMMAND printed; empty with a note when it could not be run.
  std::optional<system::CommandResult> run(std::vector<std::string> argv, std::string input,
                                           std::string_view what) {
    auto result = system::run_to_end(world_.processes, world_.clock,
                                     {.argv = std::move(argv),
                                      .env = {{"PATH", "/usr/bin:/bin"},
                                              {"LC_ALL", "C.UTF-8"},
                                              {"PYTHONDONTWRITEBYTECODE", "1"}},
                                      .input = std::move(input),
                                      .most_output_bytes = k_most_output});
    const bool ended = result && result->end == system::CommandResult::End::exited;
    if (ended) return std::move(*result);
    found.notes.push_back(
        fmt::format("{} were not checked: {}", what,
                    result ? "no answer within a minute" : result.error().message));
    return std::nullopt;
  }

  void read_python() {
    nlohmann::json paths = nlohmann::json::array();
    for (const auto& [path, language] : languages_)
      if (language == Language::python) paths.push_back(path);
    found.python = paths.size();
    const std::string parser = project_file(k_parser);
    if (paths.empty()) return;
    if (parser.empty() || !world_.files.exists(k_python))
      return found.notes.push_back(
          fmt::format("Python scripts were not checked: there is no {}",
                      parser.empty() ? std::string(k_parser) : std::string(k_python)));
    const auto result = run({k_python, parser}, paths.dump(), "Python scripts");
    if (!result) return;
    const auto read = nlohmann::json::parse(result->output, nullptr, false);
    if (result->code != 0 || !read.is_array())
      return found.notes.push_back("Python scripts were not checked: " + result->reason());
    for (const auto& script : read) {
      const std::string path = script.at("file");
      if (script.contains("error"))
        errors_.push_back(invalid(fmt::format("{} cannot parse this: {}; correct it", k_python,
                                              script.at("error").get<std::string>()),
                                  {as_shown(path), script.at("line"), script.at("column")}));
      else imports_[path] = script.at("imports");
    }
  }

  void check_shell(const std::string& path, Language language) {
    ++found.shell;
    const std::string shell = language == Language::bash ? "/bin/bash" : "/bin/sh";
    const auto result = run({shell, "-n", path}, "", "shell scripts");
    if (result && result->code != 0)
      errors_.push_back(invalid(fmt::format("{} -n refuses this script: {}; correct it", shell,
                                            printable_line(result->reason())),
                                {as_shown(path), 0, 0}));
  }

  // A neighbour that a script imports is read by the stage, so it belongs into the digest.
  void check_imports(const runner::StageKind& stage) {
    std::set<std::string> copied, read, &listed = listed_[stage.name];
    for (const runner::Copy& copy : stage.copy) copied.insert(copy.from);
    for (const auto& [file, where] : stage.named_files)
      if (!copied.contains(file)) read.insert(canonical(path_of(runner_, file)));
    listed = read;
    for (const std::string& need : stage.needs)
      listed.insert(listed_[need].begin(), listed_[need].end());
    for (const std::string& path : read) {
      const auto imports = imports_.find(path);
      if (imports == imports_.end()) continue;
      for (const auto& [module, line] : imports->second) {
        const std::string beside = (fs::path(path).parent_path() / (module + ".py")).string();
        const auto facts = world_.files.stat(beside);
        if (facts && facts->is_regular && !listed.contains(canonical(beside)))
          unlisted_[{path, line, module}].push_back(stage.name);
      }
    }
  }

  // A script may have a reason, so this is no error.
  void note_unlisted() {
    for (const auto& [import, stages] : unlisted_) {
      const auto& [path, line, module] = import;
      found.notes.push_back(
          fmt::format("{}:{}: '{}.py' is imported, and not under 'files' of {}, so a change of it "
                      "makes nothing "
                      "again; list it there",
                      as_shown(path), line, module, join(stages, ", ")));
    }
  }

  World& world_;
  const RunnerFile& runner_;
  Errors& errors_;
  std::map<std::string, Language> languages_;  // by real path
  std::map<std::string, std::vector<std::pair<std::string, int>>> imports_;
  std::map<std::string, std::set<std::string>> listed_;  // by stage, with those that it needs
  // Path, line and module of imports -> the stages that do not list the module.
  std::map<std::tuple<std::string, int, std::string>, std::vector<std::string>> unlisted_;
};

}  // namespace

ScriptsRead check_scripts(World& world, const RunnerFile& runner, const runner::Manifest& manifest,
                          Errors& errors) {
  Scripts scripts(world, runner, errors);
  scripts.check(manifest);
  return std::move(scripts.found);
}

}  // namespace orch::session
