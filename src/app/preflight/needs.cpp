#include "app/preflight/needs.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"
#include "spec/render/template.hpp"

#include <cmath>

namespace orch::preflight {

namespace {

using plan::Stage;
using Words = std::vector<std::string>;

constexpr const char* k_env = "/usr/bin/env";

bool is_symbolic(std::string_view word) { return word.find('{') != std::string_view::npos; }

bool is_source(std::string_view word) {
  return word.starts_with(matrix::k_hub_scheme) || word.starts_with(matrix::k_git_scheme) ||
         word.starts_with(matrix::k_url_scheme);
}

void join_points(Points& into, const Points& more) { into.insert(more.begin(), more.end()); }

// The program that COMMAND starts; "" if it is known only when the stage starts.
std::string program_of(std::span<const std::string> command) {
  for (const std::string& word : command)
    if (word != k_env && word.find('=') == std::string::npos) return is_symbolic(word) ? "" : word;
  return "";
}

// The parts of a command that run on this host and in the container of its stage, and how many
// arguments of the latter are a launcher.
struct Parts {
  std::span<const std::string> here = {}, inside = {};
  std::size_t launcher = 0;
};

Parts parts_of(const Stage& stage) {
  const std::span<const std::string> argv(stage.spec.argv);
  const std::size_t launcher = std::min(stage.spec.launcher, argv.size());
  if (!stage.spec.container) return {.here = argv, .launcher = launcher};
  const auto marker = std::ranges::find(argv, container::k_marker);
  if (marker == argv.end()) return {.inside = argv, .launcher = launcher};
  const auto at = static_cast<std::size_t>(marker - argv.begin());
  return {.here = argv.first(at),
          .inside = argv.subspan(at + 1),
          .launcher = launcher > at ? launcher - at - 1 : 0};
}

class Collector {
 public:
  Collector(const plan::Plan& plan, const session::Experiment& experiment)
      : plan_(plan), experiment_(experiment) {}

  Needs collect() {
    for (const Stage& stage : plan_.stages) {
      if (!is_to_run(stage)) continue;
      const Points points = points_of(plan_, stage);
      if (!points.empty()) add(stage, points);
    }
    return std::move(needs_);
  }

 private:
  void add(const Stage& stage, const Points& points) {
    join_points(needs_.points, points);
    const Parts parts = parts_of(stage);
    add_host_program(parts.here, points);
    if (stage.spec.container) add_image(stage, parts, points);
    if (stage.spec.version && stage.spec.version->answer.empty())
      join_points(needs_.versions[{stage.spec.version->argv, stage.spec.runner}], points);
    add_sources(stage, points);
    if (stage.gpus > 0) join_points(needs_.gpus[static_cast<int>(std::ceil(stage.gpus))], points);
    if (const std::string size = host_shared_memory(stage); !size.empty())
      join_points(needs_.shared_memory[size], points);
    for (const std::string& port : stage.spec.ports) join_points(needs_.ports[port], points);
  }

  void add_host_program(std::span<const std::string> command, const Points& points) {
    if (const std::string program = program_of(command); !program.empty())
      join_points(needs_.programs[program], points);
  }

  void add_image(const Stage& stage, const Parts& parts, const Points& points) {
    const container::Settings& settings = *stage.spec.container;
    ImageNeed& need = image_of(settings, stage.spec.runner);
    join_points(need.points, points);
    need.gpus = std::max(need.gpus, stage.gpus);
    const auto name = [&](const std::string& word) {
      if (!word.empty()) join_points(need.words[word], points);
    };
    if (!parts.inside.empty() && !is_symbolic(parts.inside.front())) name(parts.inside.front());
    name(program_of(parts.inside));
    name(program_of(parts.inside.subspan(parts.launcher)));
    for (const std::string& word : parts.inside.subspan(parts.launcher))
      if (word.starts_with('/') && !is_symbolic(word) && !is_mounted(stage, word)) name(word);
    // Names of tools that only the runner's own search can find, not an image's shell.
    if (stage.spec.tools && !settings.probe.empty())
      for (const std::string& tool : stage.spec.tools->names) name(tool);
  }

  ImageNeed& image_of(container::Settings settings, const std::string& runner) {
    const Words version = std::exchange(settings.version, {});
    auto found = std::ranges::find_if(needs_.images, [&](const ImageNeed& need) {
      return need.settings == settings && need.runner == runner;
    });
    if (found == needs_.images.end())
      found = needs_.images.insert(found, {.settings = settings, .runner = runner});
    if (!version.empty()) found->versions.insert(version);
    return *found;
  }

  static bool is_mounted(const Stage& stage, const std::string& path) {
    const auto holds = [&](const std::string& folder) {
      return path == folder || path.starts_with(folder + "/");
    };
    const auto& folders = stage.spec.container->folders;
    return std::ranges::any_of(stage.inputs, holds) || std::ranges::any_of(folders, holds);
  }

  // Adds the sources that STAGE fetches: it has each source and its revision as consecutive
  // arguments.
  void add_sources(const Stage& stage, const Points& points) {
    const Words& argv = stage.spec.argv;
    for (std::size_t i = 0; i < argv.size(); ++i) {
      if (!is_source(argv[i])) continue;
      const bool has_revision = i + 1 < argv.size() && !is_symbolic(argv[i + 1]);
      join_points(needs_.sources[{argv[i], has_revision ? argv[i + 1] : "", stage.spec.runner}],
                  points);
    }
  }

  // How much of the host's /dev/shm STAGE needs. Without a container, the processes of several GPUs
  // need as much there as they would in a container.
  std::string host_shared_memory(const Stage& stage) const {
    if (const auto& settings = stage.spec.container)
      return settings->ipc == "host" || settings->engine == container::Engine::apptainer
                 ? settings->shm_size
                 : "";
    if (stage.gpus < 2) return "";
    for (const session::UsedRunner& runner : experiment_.runners) {
      if (runner.manifest.name != stage.spec.runner || !runner.manifest.container) continue;
      const auto& point = plan_.points[stage.points.front()].point;
      const std::string size =
          render::replace_symbols(runner.manifest.container->shm_size,
                                  [&](std::string_view name) -> std::optional<std::string> {
                                    const matrix::Value* value = point.parameters.find(name);
                                    return value ? std::optional(value->text) : std::nullopt;
                                  });
      return is_symbolic(size) ? "" : size;
    }
    return "";
  }

  const plan::Plan& plan_;
  const session::Experiment& experiment_;
  Needs needs_;
};

}  // namespace

bool is_to_run(const plan::Stage& stage) {
  const bool waits = stage.status == plan::Status::run || stage.status == plan::Status::undecided;
  return waits && !stage.after_until && !stage.spec.server && stage.provided.empty();
}

Points points_of(const plan::Plan& plan, const plan::Stage& stage) {
  Points points;
  for (const std::size_t point : stage.points) {
    const plan::Status status = plan.points[point].status;
    if (status == plan::Status::run || status == plan::Status::undecided) points.insert(point);
  }
  return points;
}

Needs needs_of(const plan::Plan& plan, const session::Experiment& experiment) {
  return Collector(plan, experiment).collect();
}

std::vector<std::string> filled(const Place& place, const std::vector<std::string>& words,
                                const std::string& runner,
                                const std::map<std::string, std::string, std::less<>>& more) {
  std::vector<std::string> argv;
  for (const std::string& word : words)
    argv.push_back(attempt::with_files(place.layout, runner, word, more));
  return argv;
}

void Findings::add(Level level, const Points& points, const std::string& what,
                   const std::string& remedy) {
  auto found = std::ranges::find_if(section_.findings, [&](const doctor::Finding& one) {
    return one.level == level && one.what == what && one.remedy == remedy;
  });
  if (found == section_.findings.end()) {
    section_.add(level, what, remedy);
    found = std::prev(section_.findings.end());
  }
  std::set<std::string> names(found->points.begin(), found->points.end());
  for (const std::size_t point : points) names.insert(plan_.points[point].point.name);
  found->points.assign(names.begin(), names.end());
}

void Findings::add(Level level, const Points& points, const Error& error) {
  constexpr std::string_view k_between = "; ";
  const std::size_t at = error.message.rfind(k_between);
  add(level, points, error.message.substr(0, at),
      at == std::string::npos ? "" : error.message.substr(at + k_between.size()));
}

}  // namespace orch::preflight
