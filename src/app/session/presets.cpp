#include "app/session/presets.hpp"

#include "core/base/text.hpp"
#include "core/base/yaml.hpp"

#include <algorithm>
#include <filesystem>

namespace orch::session {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_ending = ".yaml";

std::string folder_of_presets(const RunnerFile& runner) {
  return (fs::path(runner.file).parent_path() / "presets").lexically_normal().string();
}

std::string first_sentence(std::string_view text) {
  std::string comment;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with('#')) break;
    const std::string words{trim(std::string_view(line).substr(1))};
    if (words.empty()) break;
    comment += (comment.empty() ? "" : " ") + words;
  }
  for (const std::string_view end : {". ", ": "})
    if (const std::size_t at = comment.find(end); at != std::string::npos) comment.resize(at);
  if (comment.ends_with('.') || comment.ends_with(':')) comment.pop_back();
  return printable(comment);
}

template <class List> std::vector<std::string> names_in(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       std::string_view what) {
  const std::string near = did_you_mean(word, known);
  return near.empty() ? fmt::format("; {}: {}", what, join(known, ", ")) : near;
}

}  // namespace

std::vector<Preset> presets_of(system::Files& files, const RunnerFile& runner) {
  std::vector<Preset> presets;
  const std::string folder = folder_of_presets(runner);
  for (const std::string& name : files.names(folder).value_or({})) {
    if (!name.ends_with(k_ending) || name.size() == k_ending.size()) continue;
    const std::string file = folder + "/" + name;
    const auto text = files.read_text(file, YamlLimits{}.bytes);
    presets.push_back({.name = name.substr(0, name.size() - k_ending.size()),
                       .file = file,
                       .help = text ? first_sentence(*text) : ""});
  }
  std::ranges::sort(presets, [](const Preset& a, const Preset& b) { return a.name < b.name; });
  return presets;
}

Result<std::string> find_preset(system::Files& files, const std::vector<RunnerFile>& runners,
                                const std::string& preset) {
  const std::size_t slash = preset.find('/');
  const std::string of = preset.substr(0, slash),
                    name = slash == std::string::npos ? "" : preset.substr(slash + 1);
  if (of.empty() || name.empty())
    return invalid("a preset is named by its runner and its name; write preset:RUNNER/NAME");
  const auto runner =
      std::ranges::find_if(runners, [&](const RunnerFile& one) { return one.name == of; });
  if (runner == runners.end())
    return invalid(fmt::format("no runner {}{}", quoted(of),
                               runners.empty()
                                   ? "; run from the project's folder, or give --runners DIR"
                                   : suggestion(of, names_in(runners), "the runners are")));
  const std::vector<Preset> presets = presets_of(files, *runner);
  for (const Preset& one : presets)
    if (one.name == name) return one.file;
  return invalid(fmt::format(
      "runner '{}' has no preset {}{}", of, quoted(name),
      presets.empty() ? " and no others" : suggestion(name, names_in(presets), "its presets are")));
}

}  // namespace orch::session
