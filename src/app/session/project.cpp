#include "app/session/project.hpp"

#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"

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

namespace fs = std::filesystem;

namespace {

// Collects folders of runners, in the order of the search.
class Places {
 public:
  void add(const fs::path& runners) {
    std::error_code code;
    if (!runners.empty() && fs::is_directory(runners, code))
      found_.push_back(fs::absolute(runners, code).lexically_normal());
  }
  void add_above(const fs::path& start) {
    std::error_code code;
    if (start.empty()) return;
    for (fs::path folder = fs::absolute(start, code); !folder.empty();
         folder = folder.parent_path()) {
      add(folder / "runners");
      if (folder == folder.root_path()) break;
    }
  }
  const std::vector<fs::path>& found() const { return found_; }

 private:
  std::vector<fs::path> found_;
};

// The folders of runners for SEARCH. The project of the build comes last, for a binary that was
// copied out of its project.
std::vector<fs::path> places_of(const RunnerSearch& search) {
  std::error_code code;
  const fs::path binary_folder = fs::path(own_binary()).parent_path();
  Places places;
  places.add(search.chosen);
  places.add_above(search.near);
  places.add_above(fs::current_path(code));
  places.add(search.site);
  places.add(binary_folder.parent_path() / "share/orchestrate/runners");
  places.add_above(binary_folder);
  places.add_above(build_project());
  return places.found();
}

// The first project with a folder NAME: of OWN (a folder of runners), then of PLACES. The project
// of OWN if none has it.
fs::path project_with(const char* name, const fs::path& own, const std::vector<fs::path>& places) {
  std::error_code code;
  if (fs::is_directory(own.parent_path() / name, code)) return own.parent_path();
  for (const fs::path& place : places)
    if (fs::is_directory(place.parent_path() / name, code)) return place.parent_path();
  return own.parent_path();
}

// The folder of the common files for the runners in OWN; "" if it is in OWN, or there is none.
std::string common_of(const fs::path& own, const std::vector<fs::path>& places) {
  std::error_code code;
  if (fs::is_directory(own / "common", code)) return "";
  for (const fs::path& place : places)
    if (fs::is_directory(place / "common", code)) return (place / "common").string();
  return "";
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

std::vector<RunnerFile> runners_near(system::Files& files, const RunnerSearch& search) {
  std::vector<RunnerFile> runners;
  std::set<std::string> known;
  const std::vector<fs::path> places = places_of(search);
  for (const fs::path& place : places) {
    const std::string common = common_of(place, places);
    const std::string project = project_with("templates", place, places).string();
    for (const std::string& name : files.names(place.string()).value_or({})) {
      const std::string file = (place / name / "runner.yaml").string();
      if (files.exists(file) && known.insert(name).second)
        runners.push_back({.name = name,
                           .file = shown_path(file),
                           .folder = (place / name).string(),
                           .common = common,
                           .project = project});
    }
  }
  return runners;
}

std::string project_file(const std::string& relative) {
  std::error_code code;
  for (const fs::path& place : places_of({}))
    if (const fs::path file = place.parent_path() / relative; fs::is_regular_file(file, code))
      return file.string();
  return "";
}

std::optional<runner::Manifest> read_manifest(system::Files& files, const RunnerFile& runner,
                                              Errors& errors) {
  const std::size_t before = errors.size();
  const fs::path own = fs::path(runner.file).parent_path().parent_path() / "common";
  Sha256 all;
  auto read = [&](const std::string& path) {
    const fs::path inner = fs::path(path).lexically_relative(own);
    const bool elsewhere = !runner.common.empty() && !inner.empty() && *inner.begin() != "..";
    auto text = files.read_text(elsewhere ? (fs::path(runner.common) / inner).string() : path,
                                YamlLimits{}.bytes);
    if (text) all.update(sha256(*text).hex());
    return text;
  };
  const auto text = read(runner.file);
  if (!text) {
    errors.push_back(text.error());
    return std::nullopt;
  }
  runner::Manifest manifest = runner::parse_manifest(*text, runner.file, errors, read);
  manifest.digest = all.finish().hex();
  return errors.size() == before ? std::optional(std::move(manifest)) : std::nullopt;
}

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
  std::ranges::sort(presets, {}, &Preset::name);
  return presets;
}

Result<std::string> find_preset(system::Files& files, const std::vector<RunnerFile>& runners,
                                const std::string& preset) {
  const std::size_t slash = preset.find('/');
  const std::string of = preset.substr(0, slash),
                    name = slash == std::string::npos ? "" : preset.substr(slash + 1);
  if (of.empty() || name.empty())
    return invalid("a preset is named by its runner and its name; write preset:RUNNER/NAME");
  const auto runner = std::ranges::find(runners, of, &RunnerFile::name);
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
