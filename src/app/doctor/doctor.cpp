#include "app/doctor/doctor.hpp"

#include "app/doctor/slurm_cluster.hpp"
#include "app/init/new_runner.hpp"
#include "app/session/host/host_facts.hpp"
#include "app/session/stage_files.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "os/system/files.hpp"
#include "run/attempt/shared_outputs.hpp"
#include "run/attempt/stage_environment.hpp"
#include "spec/matrix/expand.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/symbol_check.hpp"

#include <cmath>

namespace orch::doctor {

namespace {

using session::RunnerFile;
using runner::Fragment;
using runner::StageKind;

std::vector<RunnerFile> chosen_runners(std::vector<RunnerFile> all, const std::string& name,
                                       Errors& errors) {
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (const RunnerFile& one : all) names.push_back(one.name);
  std::erase_if(all, [&](const RunnerFile& one) { return one.name != name; });
  if (all.empty()) {
    const std::string near = did_you_mean(name, names);
    errors.push_back(
        not_found(fmt::format("no runner {}{}", quoted(name),
                              near.empty() ? "; the runners are: " + join(names, ", ") : near)));
  }
  return all;
}

// One manifest from each folder of runners.
std::vector<std::string> files_of_projects(const std::vector<RunnerFile>& runners) {
  std::vector<std::string> files;
  std::set<std::string> folders;
  for (const RunnerFile& one : runners)
    if (folders.insert(std::filesystem::path(one.folder).parent_path().string()).second)
      files.push_back(one.folder + "/runner.yaml");
  return files;
}

// The folder in which `run` creates environments, or the nearest existing folder above it; "" if
// they are in the results folder, or RUNNERS do not need any; nullopt if the file system does not
// respond.
std::optional<std::string> environments_folder(const Asking& asking,
                                               const std::vector<RunnerFile>& runners) {
  const std::string root = attempt::shared_root(asking.world().environment);
  const auto makes_some = [&](const RunnerFile& runner) {
    Errors ignored;  // errors appear in the runner's section
    const auto manifest = session::read_manifest(asking.world().files, runner, ignored);
    return manifest && std::ranges::any_of(manifest->stages, [](const runner::StageKind& stage) {
             return stage.shared;
           });
  };
  if (root.empty() || std::ranges::none_of(runners, makes_some)) return "";
  return within<std::string>(asking.patience_s(), [root] {
    const std::string folder = existing_folder(root);
    return system::is_writable(folder) ? folder : "";
  });
}

Section paths_on_nodes(const Asking& asking, const session::Site& site,
                       const std::vector<RunnerFile>& runners, Cluster cluster, SharedPaths paths) {
  paths.projects = files_of_projects(runners);
  const auto environments = environments_folder(asking, runners);
  if (!environments)
    cluster.unknown = "the cache, where environments are made, does not respond from here";
  else if (!environments->empty())
    paths.folders.push_back({.what = "the folder of environments",
                             .path = *environments,
                             .choice = "XDG_CACHE_HOME=DIR"});
  return paths_section(asking, site.slurm, cluster, paths);
}

constexpr const char* k_host_gpus = "host_gpus";
constexpr const char* k_env = "/usr/bin/env";
constexpr std::string_view k_virtual_environment = "venv/bin/python3";  // an output of a stage

struct Words {
  std::vector<std::string> argv;
  std::set<std::size_t> questions;  // questions on which the arguments depend

  bool is_known() const {
    return !argv.empty() && std::ranges::none_of(argv, [](const std::string& word) {
      return word.find('{') != std::string::npos;
    });
  }
};

class Needs {
 public:
  Needs(const Asking& asking, const session::RunnerFile& file, const Here& here)
      : asking_(asking), file_(file), here_(here) {}

  Section look() {
    section_.heading = "runner " + file_.name;
    Errors errors;
    const auto manifest = session::read_manifest(asking_.world().files, file_, errors);
    if (!manifest) return refuse(errors, "orchestrate check --runner " + file_.name);
    manifest_ = *manifest;
    if (!find_point(errors)) return refuse(errors, "a matrix of your own, and orchestrate check");
    look_at_rules();
    for (const StageKind& stage : manifest_.stages)
      if (applies(stage.when)) look_at(stage);
    if (section_.findings.empty() && tools_.empty())
      add(Level::ok, "nothing is missing for " + matrix_name_, "");
    for (const auto& [stage, names] : tools_)
      add(Level::note,
          fmt::format("not checked: {}; stage '{}' of a run checks for them",
                      join(std::vector(names.begin(), names.end()), ", "), stage),
          "");
    return std::move(section_);
  }

 private:
  Section refuse(const Errors& errors, const std::string& remedy) {
    add(Level::missing,
        errors.empty() ? "its matrix has no point" : printable_line(errors.front().text()), remedy);
    return std::move(section_);
  }

  // Reports each finding once, because stages share programs.
  void add(Level level, const std::string& what, const std::string& remedy) {
    if (said_.insert(what).second) section_.add(level, what, remedy);
  }

  bool find_point(Errors& errors) {
    const auto presets = session::presets_of(asking_.world().files, file_);
    const auto text =
        presets.empty() ? session::toy_matrix(manifest_)
                        : asking_.world().files.read_text(presets.front().file, YamlLimits{}.bytes);
    matrix_name_ = presets.empty() ? "its smallest point" : "its preset " + presets.front().name;
    if (!text) {
      errors.push_back(text.error());
      return false;
    }
    const matrix::Matrix matrix = matrix::parse_matrix(
        *text, presets.empty() ? "smallest.yaml" : presets.front().file, errors);
    matrix::KnownFacts known;
    known.host = here_.host;
    const matrix::Expansion expansion =
        matrix::expand(matrix, manifest_.vocabulary(), known, errors);
    if (!errors.empty() || expansion.points.empty()) return false;
    point_ = expansion.points.front();
    return true;
  }

  void look_at_rules() {
    const auto rules = manifest_.vocabulary().rules;
    // Rules about the number of GPUs: those made from `resources`, and the runner's own.
    std::set<std::string> made, own;
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (i >= manifest_.rules.size()) made.insert(rules[i].name);
      else if (rules[i].require.find(k_host_gpus) != std::string::npos) own.insert(rules[i].name);
    bool lacks_gpus = false, is_said = false;
    for (const matrix::Point::Broken& broken : point_.rejections) {
      const bool is_own = own.contains(broken.rule);
      is_said = is_said || is_own;
      if (made.contains(broken.rule)) lacks_gpus = true;
      else
        add(Level::missing, fmt::format("{}: {}", broken.rule, broken.why),
            is_own ? statement_of_gpus()
                   : fmt::format("other values: orchestrate runners {}", file_.name));
    }
    const auto known = here_.host.find(k_host_gpus);
    const bool waits = std::ranges::any_of(
        point_.waiting, [](const matrix::Point::Waiting& one) { return one.fact == k_host_gpus; });
    if (lacks_gpus && !is_said)
      add(Level::missing,
          fmt::format("it needs {}, but the machine has {}", gpus_in_words(),
                      known == here_.host.end() ? "none" : known->second.text),
          statement_of_gpus());
    else if (waits)
      add(Level::missing,
          fmt::format("it needs {}, but {}", gpus_in_words(),
                      here_.slurm ? "those of the nodes are not stated" : "none was detected here"),
          statement_of_gpus());
  }

  // The largest number of GPUs that a stage needs; 0: unknown.
  int gpus_needed() const {
    double most = 0;
    for (const StageKind& stage : manifest_.stages)
      if (stage.gpus && *stage.gpus < point_.answers.size() && applies(stage.when))
        most = std::fmax(most, point_.answers[*stage.gpus]);
    return static_cast<int>(most);
  }

  std::string gpus_in_words() const {
    const int count = gpus_needed();
    return count == 0 ? "GPUs" : plural(count, "GPU");
  }

  std::string statement_of_gpus() const {
    const int count = gpus_needed();
    return fmt::format("machine: {{gpus: {}, gpu_model: NAME}} in the site file, for {}",
                       count == 0 ? "N" : std::to_string(count),
                       here_.slurm ? "the nodes that run it" : "the machine that runs it");
  }

  // Whether a stage, container or argument is used; false if its QUESTION depends on an unknown
  // fact of a model.
  bool applies(const std::optional<std::size_t>& question) const {
    if (!question) return true;
    const double answer =
        *question < point_.answers.size() ? point_.answers[*question] : matrix::k_no_answer;
    return !std::isnan(answer) && answer != 0;
  }

  void pick(const std::vector<Fragment>& fragments, Words& words) const {
    for (const Fragment& fragment : fragments) {
      if (fragment.when) words.questions.insert(*fragment.when);
      if (fragment.counted || !fragment.each.empty() || !applies(fragment.when)) continue;
      pick(fragment.parts, words);
      for (const std::string& word : fragment.words) words.argv.push_back(filled(word));
    }
  }

  // WORD with the values of known symbols; those that are unknown before a stage starts stay
  // {symbol}.
  std::string filled(const std::string& word) const {
    return render::replace_symbols(
        word, [&](std::string_view symbol) -> std::optional<std::string> {
          if (const auto file = render::file_of(symbol))
            return session::path_of(file_, std::string(*file));
          const matrix::Value* value = point_.parameters.find(std::string(symbol));
          if (!value) return std::nullopt;
          return value->text;
        });
  }

  void look_at(const StageKind& stage) {
    if (installs(stage)) look_for_venv();
    if (stage.tools) note_tools(*stage.tools);
    if (stage.container && applies(stage.container->when)) return look_for_engine(*stage.container);
    for (const std::string& name : stage.reads) look_for_path(name);
    for (const std::string& program : stage.executables) look_for(filled(program), {});
    Words words, version;
    pick(stage.fragments, words);
    std::erase(words.argv, k_env);
    if (!words.argv.empty()) look_for(words.argv.front(), words.questions);
    pick(stage.version, version);
    if (version.is_known()) ask_version(stage, version);
  }

  // Notes the Python modules and programs that a stage looks for only when it runs, unless the
  // stage installs them or its version is asked for here.
  void note_tools(const runner::Tools& tools) {
    for (const StageKind& stage : manifest_.stages)
      if (tools.from.starts_with("{stage:" + stage.name + "}") && stage.version.empty() &&
          !installs(stage))
        tools_[stage.name].insert(tools.names.begin(), tools.names.end());
  }

  static bool installs(const StageKind& stage) {
    return std::ranges::find(stage.outputs, k_virtual_environment) != stage.outputs.end();
  }

  void look_for_path(const std::string& name) {
    const auto parameter = std::ranges::find(manifest_.parameters, name, &matrix::Parameter::name);
    if (parameter == manifest_.parameters.end() || !parameter->is_path) return;
    const matrix::Value* value = point_.parameters.find(name);
    if (value && value->text.starts_with('/') && !asking_.world().files.exists(value->text))
      add(Level::missing, fmt::format("no {} ({})", value->text, name), settings_instead({}));
  }

  void look_for_venv() {
    if (!asking_.find("/usr/bin/python3")) return look_for("/usr/bin/python3", {});
    if (!asking_.ask({"/usr/bin/python3", "-B", "-c", "import ensurepip, venv"}).ok)
      add(Level::missing, "/usr/bin/python3 has no module venv", how_to_install("python3-venv"));
  }

  void look_for_engine(const runner::Container& container) {
    const auto named = parse_name<container::Engine>(filled(container.engine));
    const container::Engine engine = named.value_or(here_.container.engine);
    std::string program{to_string(engine)};
    if (engine == container::Engine::cluster) program = "srun";
    if (engine == here_.container.engine && !here_.container.command.empty())
      program = here_.container.command.front();
    look_for(program, {});
  }

  void look_for(const std::string& program, const std::set<std::size_t>& questions) {
    if (program.find('{') != std::string::npos || asking_.find(program)) return;
    const std::string install = how_to_install(program);
    add(Level::missing, "no " + program, install.empty() ? settings_instead(questions) : install);
  }

  void ask_version(const StageKind& stage, const Words& version) {
    if (!asking_.find(version.argv.front()))
      return look_for(version.argv.front(), version.questions);
    auto variables =
        attempt::stage_environment(asking_.world().environment, stage.inherit, stage.env);
    variables.emplace("PYTHONDONTWRITEBYTECODE", "1");
    const Answer said = asking_.ask(version.argv, variables, asking_.patience_s());
    const std::string_view line = trim(said.output.empty() ? said.errors : said.output);
    if (said.ok) add(Level::ok, fmt::format("{} (stage '{}')", line, stage.name), "");
    else
      add(said.hangs ? Level::warning : Level::missing,
          fmt::format("stage '{}': {}", stage.name, said.reason),
          settings_instead(version.questions));
  }

  // The remedy for a missing program: to install it, or to set a parameter that may name another
  // one, which is an optional one without a value that QUESTIONS or the condition of the container
  // read.
  std::string settings_instead(std::set<std::size_t> questions) const {
    if (manifest_.container && manifest_.container->when)
      questions.insert(*manifest_.container->when);
    const auto readers = runner::readers_of(manifest_);
    const std::size_t first = readers.size() - manifest_.questions.size();
    std::vector<std::string> settings;
    for (const matrix::Parameter& parameter : manifest_.parameters) {
      const bool is_read = std::ranges::any_of(questions, [&](std::size_t question) {
        return readers[first + question].names.contains(parameter.name);
      });
      if (is_read && parameter.optional && !point_.parameters.find(parameter.name))
        settings.push_back(parameter.name);
    }
    if (settings.empty()) return "install it, or add its folder to PATH";
    return fmt::format("install it, or set {} in the matrix (orchestrate explain {})",
                       one_of(settings), settings.front());
  }

  const Asking& asking_;
  const session::RunnerFile& file_;
  const Here& here_;
  Section section_;
  std::set<std::string> said_;
  runner::Manifest manifest_;
  std::string matrix_name_;
  std::map<std::string, std::set<std::string>> tools_;  // by the stage that looks for them
  matrix::Point point_;
};

}  // namespace

std::vector<Section> examine(const With& with, const Asked& asked, Errors& errors) {
  session::World& world = with.world;
  const session::Site site = session::read_site(world.files, asked.site_file, errors);
  const auto runners = chosen_runners(
      session::runners_near(world.files, {.chosen = asked.runners, .site = site.runners}),
      asked.runner, errors);
  if (!errors.empty()) return {};
  const Asking asking(world, asked.patience_s);
  const Driver driver = ask_driver(asking);
  const session::HostFacts host =
      session::host_facts_of(site.machine, driver.machine.value_or(system::Machine{}));

  std::vector<Section> sections;
  sections.push_back(versions_section(with.versions));
  sections.push_back(machine_section(driver.machine));
  sections.push_back(gpu_section(driver, has_nvidia_device(world.files, "/sys/bus/pci/devices")));
  StorePlace store = look_at_store(asking, with.is_shared, asked.store, asked.slurm);
  store.section.is_asked_for = asked.names_store || asked.slurm;
  sections.push_back(store.section);
  sections.push_back(ports_section(world.files, site));
  sections.push_back(
      containers_section(asking, site.container, driver.machine && driver.machine->gpus));
  Cluster cluster = look_at_cluster(asking, site.slurm, asked.slurm);
  sections.push_back(std::move(cluster.section));
  if (store.section.lacks()) cluster.unknown = "the results folder cannot be used from here";
  if (asked.slurm)
    sections.push_back(paths_on_nodes(
        asking, site, runners, std::move(cluster),
        {.program = session::own_binary(),
         .folders = {
             {.what = "the results folder", .path = store.folder, .choice = "--store DIR"}}}));
  for (const RunnerFile& runner : runners) {
    sections.push_back(runner_section(
        asking, runner, {.host = host.facts, .container = site.container, .slurm = asked.slurm}));
    sections.back().is_asked_for = !asked.runner.empty();
  }
  return sections;
}

Section runner_section(const Asking& asking, const session::RunnerFile& runner, const Here& here) {
  return Needs(asking, runner, here).look();
}

}  // namespace orch::doctor
