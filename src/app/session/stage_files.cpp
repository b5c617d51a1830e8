#include "app/session/stage_files.hpp"

#include "core/base/text.hpp"
#include "os/system/run_to_end.hpp"
#include "run/attempt/layout.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

#include <tuple>

#include <nlohmann/json.hpp>

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_program_bytes = 4;  // enough to tell a script from a binary

// Whether PATH is FOLDER or below it. Both are canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path inner = path.lexically_relative(folder);
  return !inner.empty() && *inner.begin() != "..";
}

// "; did you mean 'X'?" with the closest name in the folder of PATH.
std::string suggest_beside(system::Files& files, const fs::path& path) {
  const auto names = files.names(path.parent_path().string());
  return names ? did_you_mean(path.filename().string(), *names) : "";
}

class StageFiles {
 public:
  StageFiles(system::Files& files, const RunnerFile& runner, Errors& errors)
      : files_(files), runner_(runner), errors_(errors) {}

  void check(const runner::StageKind& stage) {
    const std::string user = fmt::format("stage {}", quoted(stage.name));
    for (const auto& [file, where] : stage.named_files) check_file(user, file, where);
    if (!stage.argv.empty()) check_program(stage, stage.argv.front());
    for (const runner::Render& render : stage.render) check_template(stage, render);
  }

  void check(const runner::Resolver& resolver) {
    for (const auto* words : {&resolver.argv, &resolver.reach})
      for (const std::string& word : *words)
        for (const std::string& symbol : render::symbols_of(word))
          if (const auto file = render::file_of(symbol))
            check_file(fmt::format("resolver {}", quoted(resolver.scheme)), std::string(*file),
                       resolver.where);
  }

 private:
  void check_file(const std::string& user, const std::string& file, const Location& where) {
    if (!checked_.insert(file).second) return;
    const fs::path path = path_of(runner_, file);
    const auto facts = files_.stat(path.string());
    if (!facts && files_.is_link(path.string()))
      return fail(where, "{} names {}, which is a dangling link; write the file", user,
                  quoted(file));
    if (!facts) {
      const std::string near = suggest_beside(files_, path);
      return fail(where, "{} names {}, but there is no {}{}", user, quoted(file), path.string(),
                  near.empty() ? "; write it, or correct the name" : near);
    }
    if (!facts->is_regular)
      return fail(where, "{} names {}, which is {}; name a file", user, quoted(file),
                  facts->is_folder ? "a folder" : "not a regular file");
    std::error_code code;
    const fs::path real = fs::canonical(path, code);
    if (code || is_of_runner(real)) return;
    fail(where,
         "{} names {}, a link to {}, outside the folder of the runner; what a script imports from "
         "there enters no digest, so copy the file here",
         user, quoted(file), real.string());
  }

  // Whether REAL is in the runner's own folder, in the folder that all runners share, or in the
  // templates.
  bool is_of_runner(const fs::path& real) const {
    const fs::path shared = common();
    const fs::path folders[] = {runner_.folder, shared, fs::path(runner_.project) / "templates",
                                shared.parent_path().parent_path() / "templates"};
    return std::ranges::any_of(folders, [&](const fs::path& folder) {
      std::error_code code;
      return is_below(real, fs::weakly_canonical(folder, code));
    });
  }

  // Checks that Linux can start a program: it has an execute bit, and is a binary or names its
  // interpreter.
  void check_program(const runner::StageKind& stage, const std::string& word) {
    const auto symbols = render::symbols_of(word);
    const auto named = symbols.size() == 1 ? render::file_of(symbols.front()) : std::nullopt;
    if (!named || word.size() != symbols.front().size() + 2) return;
    const std::string file(*named);
    const auto where = stage.named_files.find(file);
    const std::string path = path_of(runner_, file);
    const auto facts = files_.stat(path);
    if (where == stage.named_files.end() || !facts || !facts->is_regular) return;
    std::error_code code;
    constexpr fs::perms k_execute =
        fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    if ((fs::status(path, code).permissions() & k_execute) == fs::perms::none)
      return fail(where->second,
                  "stage '{}' starts {}, which is not executable; run chmod +x on it, or begin "
                  "with its interpreter: [/usr/bin/python3, \"{}\", ...]",
                  stage.name, quoted(file), word);
    const std::string begin = files_.read_block(path, 0, k_program_bytes)
                                  .value_or(
                                      "\x7f"
                                      "ELF");
    if (!begin.starts_with("#!") && begin !=
                                        "\x7f"
                                        "ELF")
      fail(where->second,
           "stage '{}' starts {}, which names no interpreter; begin it with a line such as "
           "#!/usr/bin/python3, or begin with its interpreter: [/usr/bin/python3, \"{}\", ...]",
           stage.name, quoted(file), word);
  }

  void check_template(const runner::StageKind& stage, const runner::Render& render) {
    const fs::path path = fs::path(runner_.project) / render.from;
    const auto facts = files_.stat(path.string());
    if (facts && facts->is_regular) return;
    const std::string near = suggest_beside(files_, path);
    fail(render.where, "stage '{}' fills {}, but there is no {}{}", stage.name, quoted(render.from),
         path.string(),
         near.empty() ? "; templates are named from the folder above runners/" : near);
  }

  fs::path common() const {
    if (!runner_.common.empty()) return runner_.common;
    return fs::path(runner_.folder).parent_path() / "common";
  }

  template <class... Values>
  void fail(const Location& where, fmt::format_string<Values...> message, Values&&... values) {
    errors_.push_back(invalid(fmt::format(message, std::forward<Values>(values)...), where));
  }

  system::Files& files_;
  const RunnerFile& runner_;
  Errors& errors_;
  std::set<std::string> checked_;
};

}  // namespace

std::string path_of(const RunnerFile& runner, const std::string& file) {
  attempt::Layout layout;
  layout.runner = runner.folder;
  layout.common = runner.common;
  return layout.runner_file(file);
}

void check_stage_files(system::Files& files, const RunnerFile& runner,
                       const runner::Manifest& manifest, Errors& errors) {
  StageFiles check(files, runner, errors);
  for (const runner::StageKind& stage : manifest.stages) check.check(stage);
  for (const runner::Resolver& resolver : manifest.resolvers) check.check(resolver);
}

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

// PATH in the form that messages show.
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

  // The language of a file, by the end of its name or else by its first line.
  Language language_of(const std::string& path) {
    if (path.ends_with(".py")) return Language::python;
    const std::string text = world_.files.read_block(path, 0, k_first_line_bytes).value_or("");
    const std::string first = text.starts_with("#!") ? text.substr(0, text.find('\n')) : "";
    if (first.find("python") != std::string::npos) return Language::python;
    if (first.find("bash") != std::string::npos) return Language::bash;
    return first.ends_with("/sh") || path.ends_with(".sh") ? Language::sh : Language::other;
  }

  // The result of ARGV; nullopt, with a note, if it could not be run.
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

  // Checks the imports of a stage's scripts: the stage reads a neighbouring file that a script
  // imports, so it belongs in the digest.
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

  // Notes imports that are not listed. They are not errors, because a script may have a reason.
  void note_unlisted() {
    for (const auto& [import, stages] : unlisted_) {
      const auto& [path, line, module] = import;
      found.notes.push_back(fmt::format(
          "{}:{}: '{}.py' is imported but not listed under 'files' of {}, so a change to it "
          "repeats no stage; list it there",
          as_shown(path), line, module, join(stages, ", ")));
    }
  }

  World& world_;
  const RunnerFile& runner_;
  Errors& errors_;
  std::map<std::string, Language> languages_;  // by real path
  std::map<std::string, std::vector<std::pair<std::string, int>>> imports_;
  // The files listed by each stage and by the stages that it needs.
  std::map<std::string, std::set<std::string>> listed_;
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
