#include "run/script/stage_words.hpp"

#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/symbols.hpp"

#include <cmath>

namespace orch::script {

using plan::Stage;

namespace {

std::optional<ShellPart> part(std::string variable, std::string text = "") {
  return ShellPart{std::move(variable), std::move(text)};
}

// A command that prints the names of the variables PREFIX*, edited by EDIT, a sed command.
std::string names_from(std::string_view prefix, std::string_view edit) {
  return fmt::format("(compgen -e {} | {})", prefix, edit);
}

// A command that prints ",NAME" for each variable PREFIX*.
std::string comma_names(std::string_view prefix) {
  return names_from(prefix, "sed 's/^/,/' | tr -d '\\n'");
}

}  // namespace

std::string folder_name(const Stage& stage) {
  return stage.spec.kind == runner::Kind::measure ? stage.id + ".1" : stage.id;
}

std::string gpu_variables(int count, std::string_view list) {
  std::string names;
  for (int gpu = 0; gpu < count; ++gpu) names += fmt::format("{}{} ", k_gpu, gpu);
  return fmt::format("IFS=, read -r {}_ <<<\"{}\"\n", names, list);
}

std::string first_gpus(int count) {
  std::vector<std::string> gpus;
  for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(std::to_string(gpu));
  return join(gpus, ",");
}

int gpus_of(const Stage& stage) { return static_cast<int>(std::ceil(stage.gpus)); }

std::string driver_variable(std::string_view library) {
  std::string name(library.substr(0, library.find('.')));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::string> StageWords::words(const Stage& stage, const std::vector<std::string>& argv,
                                           const More& more) const {
  const std::string several = fmt::format("{{{}", container::k_matching);
  std::vector<std::string> words;
  for (const std::string& one : argv)
    if (one.starts_with(several))
      words.push_back("$" + names_from(one.substr(several.size(), one.size() - several.size() - 1),
                                       "sed 's/^/--env /'"));
    else words.push_back(shell_word(filled(stage, one, more)));
  return words;
}

std::string StageWords::word(const Stage& stage, std::string_view text) const {
  return shell_word(filled(stage, text));
}

ShellText StageWords::filled(const Stage& stage, std::string_view text, const More& more) const {
  ShellText parts = shell_text(text, [&](std::string_view name) {
    const auto own = more.find(std::string(name));
    return own == more.end() ? symbol(stage, name) : std::optional(own->second);
  });
  note_used(parts);
  return parts;
}

ShellText StageWords::rendered(const Stage& stage, std::string_view text) const {
  ShellText parts = shell_text(text, [&](std::string_view name) { return revision(stage, name); });
  note_used(parts);
  return parts;
}

// A part that begins with a parenthesis is a command, not a variable.
void StageWords::note_used(const ShellText& text) const {
  for (const ShellPart& part : text)
    if (!part.variable.empty() && part.variable.front() != '(') used_.insert(part.variable);
}

std::string StageWords::output(const Stage& stage, const std::string& below) const {
  return shell_word({{sources_.wanted.variable_of(stage.id), below}});
}

std::string StageWords::definition(const Stage& stage) const {
  const std::string variable = sources_.wanted.variable_of(stage.id);
  if (!stage.provided.empty()) return fmt::format("{}={}\n", variable, shell_quote(stage.provided));
  return fmt::format("{}=$OUT/{}/{}/out\n", variable,
                     stage.spec.kind == runner::Kind::service ? "work" : "artifacts",
                     folder_name(stage));
}

ShellPart StageWords::runner_file(const std::string& runner, std::string_view file) const {
  const attempt::Layout& layout = sources_.layout;
  if (attempt::Layout::is_common(file) && !layout.folders_of(runner).common.empty())
    return {"", layout.runner_file(file, runner)};
  return {runner_variable(runner), attempt::Layout::below_runner(file)};
}

// "RUNNER" has the folder of the default runner; RUNNER_2 and so on have those of others.
std::string StageWords::runner_variable(const std::string& runner) const {
  const auto& others = sources_.layout.other_runners;
  const auto other = others.find(runner);
  if (other == others.end()) return "RUNNER";
  return fmt::format("RUNNER_{}", 2 + std::distance(others.begin(), other));
}

std::map<std::string, std::string> StageWords::other_runners() const {
  std::map<std::string, std::string> folders;
  for (const auto& [name, of] : sources_.layout.other_runners)
    folders[runner_variable(name)] = of.runner;
  return folders;
}

std::size_t StageWords::add_revision(const std::string& name) {
  const std::size_t number = revisions_.size() + 1;
  return revisions_.emplace(name, fmt::format("revision{}", number)).second ? number : 0;
}

std::map<std::string, std::string> StageWords::revisions() const {
  std::map<std::string, std::string> names;
  for (const auto& [name, variable] : revisions_) names[variable] = name;
  return names;
}

std::set<std::string> StageWords::take_used() { return std::exchange(used_, {}); }

std::optional<ShellPart> StageWords::symbol(const Stage& stage, std::string_view name) const {
  struct Context {
    const StageWords& words;
    const Stage& stage;

    std::string folder() const { return "/work/" + folder_name(stage); }
  };
  using In = const Context&;
  using View = std::string_view;
  static constexpr render::Provider<ShellPart, Context> k_provided[] = {
      {"out", [](In in, View) { return part(in.words.sources_.wanted.variable_of(in.stage.id)); }},
      {"work", [](In in, View) { return part("OUT", in.folder()); }},
      {"jobs", [](In in, View) { return part("OUT", in.folder() + "/jobs.json"); }},
      {k_work_of, [](In, View id) { return part("OUT", fmt::format("/work/{}", id)); }},
      {"tmp", [](In, View) { return part("tmp"); }},
      {"token", [](In, View) { return part("token"); }},
      {"block", [](In, View) { return part("", "0"); }},
      {"orchestrate", [](In, View) { return part("ORCHESTRATE"); }},
      {"bind", [](In in, View) { return part("", *in.words.sources_.layout.address("bind")); }},
      {"connect",
       [](In in, View) { return part("", *in.words.sources_.layout.address("connect")); }},
      {"file:",
       [](In in, View file) {
         return std::optional(in.words.runner_file(in.stage.spec.runner, file));
       }},
      {"stage:", [](In in, View id) { return in.words.output_of(id); }},
      {"port:", [](In, View port) { return part(port_variable(port_name(port))); }},
      {container::k_held_gpu, [](In, View n) { return part(fmt::format("{}{}", k_gpu, n)); }},
      {container::k_driver, [](In, View library) { return part(driver_variable(library)); }},
      {container::k_matching, [](In, View prefix) { return part(comma_names(prefix)); }},
      {plan::k_container, [](In in, View what) { return in.words.of_container(in.stage, what); }},
  };
  static_assert(render::provides(k_provided, {render::Known::launched, render::Known::placed}));
  const auto value = render::value_of(k_provided, Context{*this, stage}, name);
  return value ? value : revision(stage, name);
}

// The published output of the stage ID; a path if the stage has no variable.
std::optional<ShellPart> StageWords::output_of(std::string_view id) const {
  const std::string variable = sources_.wanted.variable_of(std::string(id));
  return variable.empty() ? part("OUT", fmt::format("/artifacts/{}/out", id)) : part(variable);
}

// The value of {container:WHAT}: a folder or a variable.
std::optional<ShellPart> StageWords::of_container(const Stage& stage, std::string_view what) const {
  if (what == "runner") return part(runner_variable(stage.spec.runner));
  if (what != "common") return part(std::string(what));
  ShellPart folder = runner_file(stage.spec.runner, attempt::Layout::k_common);
  folder.text = folder.text.substr(0, folder.text.find_last_not_of('/') + 1);
  return folder;
}

// The variable with the resolved revision for SYMBOL.
std::optional<ShellPart> StageWords::revision(const Stage& stage, std::string_view symbol) const {
  const auto written = stage.unresolved.find(std::string(symbol));
  if (written == stage.unresolved.end()) return std::nullopt;
  const auto variable =
      revisions_.find(matrix::mutable_revision(written->second.source, written->second.revision));
  return variable == revisions_.end() ? std::nullopt : part(variable->second);
}

}  // namespace orch::script
