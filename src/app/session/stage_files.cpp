#include "app/session/stage_files.hpp"

#include "run/attempt/layout.hpp"
#include "core/base/text.hpp"
#include "spec/render/symbols.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_program_bytes = 4;  // enough to tell a script from a binary
constexpr std::string_view k_file = "file:";

// Whether PATH is FOLDER or below it. Both are canonical.
bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path inner = path.lexically_relative(folder);
  return !inner.empty() && *inner.begin() != "..";
}

// "; did you mean 'X'?" of the names beside PATH.
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
          if (symbol.starts_with(k_file))
            check_file(fmt::format("resolver {}", quoted(resolver.scheme)),
                       symbol.substr(k_file.size()), resolver.where);
  }

 private:
  void check_file(const std::string& user, const std::string& file, const Location& where) {
    if (!checked_.insert(file).second) return;
    const fs::path path = path_of(runner_, file);
    const auto facts = files_.stat(path.string());
    if (!facts && files_.is_link(path.string()))
      return fail(where, "{} names {}, which is a link to nothing; write the file", user,
                  quoted(file));
    if (!facts) {
      const std::string near = suggest_beside(files_, path);
      return fail(where, "{} names {}, and there is no {}{}", user, quoted(file), path.string(),
                  near.empty() ? "; write it, or correct the name" : near);
    }
    if (!facts->is_regular)
      return fail(where, "{} names {}, which is {}; name a file", user, quoted(file),
                  facts->is_folder ? "a folder" : "no regular file");
    std::error_code code;
    const fs::path real = fs::canonical(path, code);
    if (code || is_of_runner(real)) return;
    fail(where,
         "{} names {}, a link to {}, outside the folder of the runner; what a script imports from "
         "there enters no digest, so copy the file here",
         user, quoted(file), real.string());
  }

  // The files of a runner are in its own folder, or among those that all runners share.
  bool is_of_runner(const fs::path& real) const {
    const fs::path shared = common();
    const fs::path folders[] = {runner_.folder, shared, fs::path(runner_.project) / "templates",
                                shared.parent_path().parent_path() / "templates"};
    return std::ranges::any_of(folders, [&](const fs::path& folder) {
      std::error_code code;
      return is_below(real, fs::weakly_canonical(folder, code));
    });
  }

  // Linux starts a file with an execute bit that is a binary, or names its interpreter.
  void check_program(const runner::StageKind& stage, const std::string& word) {
    const auto symbols = render::symbols_of(word);
    if (symbols.size() != 1 || !symbols.front().starts_with(k_file) ||
        word.size() != symbols.front().size() + 2)
      return;
    const std::string file = symbols.front().substr(k_file.size());
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
    fail(render.where, "stage '{}' fills {}, and there is no {}{}", stage.name, quoted(render.from),
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

}  // namespace orch::session
