#include "plan/graph/containers.hpp"

#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

#include <cmath>
#include <sstream>
#include <unordered_set>

namespace orch::plan {

bool chooses_gpus(const Spec& spec) {
  return spec.env.contains(container::k_visible_gpus) ||
         contains(spec.inherit, container::k_visible_gpus);
}

std::vector<StageId> upstream_of(const Plan& plan, const Stage& stage) {
  std::unordered_set<std::string_view> wanted;
  for (const auto& [name, id] : stage.needs) wanted.insert(id);
  std::vector<StageId> found;
  // Each stage follows its needs.
  for (auto one = plan.stages.rbegin(); one != plan.stages.rend() && !wanted.empty(); ++one) {
    if (!wanted.contains(one->id)) continue;
    for (const auto& [name, id] : one->needs) wanted.insert(id);
    if (one->spec.kind == runner::Kind::task) found.push_back(one->id);
  }
  return {found.rbegin(), found.rend()};
}

namespace {

// The names of STAGE's variables and of those that every launch has.
std::vector<std::string> variables_of(const Stage& stage) {
  std::set<std::string> names = {"LANG", "LC_ALL", "TZ", "PYTHONDONTWRITEBYTECODE", "TMPDIR"};
  names.insert(std::begin(ranks::k_shm_variables), std::end(ranks::k_shm_variables));
  for (const auto& [name, value] : stage.spec.env) names.insert(name);
  for (const auto* list : {&stage.spec.inherit, &stage.spec.secrets})
    for (const std::string& name : *list)
      names.insert(name.ends_with('*') ? container::matching(name) : name);
  return {names.begin(), names.end()};
}

// Whether env, inherit or secrets of SPEC name VARIABLE.
bool is_named(const Spec& spec, std::string_view variable) {
  const auto names = [&](const std::string& name) { return container::is_like(variable, name); };
  return spec.env.contains(std::string(variable)) || std::ranges::any_of(spec.inherit, names) ||
         std::ranges::any_of(spec.secrets, names);
}

std::string in_container(std::string_view name) {
  return fmt::format("{{{}{}}}", k_container, name);
}

// The image, by digest if known. Up to Enroot 3.5, the cluster's plugin can read only tags.
std::string image_of(const container::Settings& settings) {
  if (!settings.built.empty()) return in_container("image");
  const bool by_tag =
      settings.engine == container::Engine::cluster && !container::is_file(settings.image);
  return settings.pinned.empty() || by_tag ? settings.image : settings.pinned;
}

}  // namespace

container::Start container_start(const Plan& plan, const Stage& stage) {
  const container::Settings& settings = *stage.spec.container;
  container::Start start{
      .engine = {std::string(to_string(settings.engine))},
      .image = image_of(settings),
      .name = "orchestrate-{token}",
      .labels = {{"orchestrate.attempt", "{token}"}, {"orchestrate.stage", stage.id}},
      .mounts = {{"{work}", true},
                 {"{tmp}", true},
                 {in_container("shm"), true},
                 {in_container("runner")},
                 {in_container("common")}},
      .work = "{work}",
      .pass = variables_of(stage),
      .set = {{"HOME", "{tmp}"}, {"USER", "orchestrate"}, {"XDG_CACHE_HOME", "{tmp}/.cache"}},
      .user = settings.as_user ? in_container("user") : ""};
  if (stage.spec.kind != runner::Kind::service || !stage.rendered.empty() ||
      !stage.spec.copy.empty())
    start.mounts.push_back({"{out}", true});
  if (stage.spec.batch) start.mounts.push_back({"{jobs}"});
  for (const StageId& id : upstream_of(plan, stage))
    start.mounts.push_back({fmt::format("{{stage:{}}}", id)});
  for (const std::string& input : stage.inputs) start.mounts.push_back({input});
  for (const std::string& folder : settings.folders) start.mounts.push_back({folder, true});
  for (int gpu = 0; gpu < std::ceil(stage.gpus); ++gpu)
    start.gpus.push_back(container::held_gpu(gpu));
  if (start.gpus.empty() && stage.driver)
    for (const char* library : container::k_driver_libraries)
      start.driver[library] = container::driver_library(library);
  for (const std::string& name : settings.caches)
    if (!is_named(stage.spec, name)) start.set.emplace(name, "{tmp}/" + name);
  // NVML numbers GPUs in bus order; CUDA does so only with this variable.
  if (!start.gpus.empty()) start.set["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  std::erase_if(start.pass, [&](const std::string& name) {
    return container::stays_outside(name) || start.set.contains(name);
  });
  return start;
}

void share_among_nodes(container::Start& start) {
  std::erase_if(start.mounts, [](const container::Mount& mount) {
    return mount.path == "{tmp}" || mount.path == in_container("shm");
  });
}

namespace {

using Settings = container::Settings;

// Fills in the texts of a container with the values of a point.
class ContainerTexts {
 public:
  ContainerTexts(const matrix::Point& point, const std::map<std::string, std::string>& stages)
      : point_(point), stages_(stages) {}

  // "" if a symbol has no value, or a value that waits for a fact.
  std::string fill(const std::string& text) {
    bool lacks = false;
    std::string filled =
        render::replace_symbols(text, [&](std::string_view name) -> std::optional<std::string> {
          if (const auto stage = stages_.find(std::string(name)); stage != stages_.end())
            return stage->second;
          if (render::file_of(name)) return std::nullopt;
          const matrix::Value* value = point_.parameters.find(name);
          if (value && !is_unknown(point_, std::string(name))) return value->text;
          if (value) unknown.emplace_back(name);
          lacks = true;
          return std::nullopt;
        });
    return lacks ? "" : filled;
  }

  std::vector<std::string> unknown;  // parameters whose values wait for facts

 private:
  const matrix::Point& point_;
  const std::map<std::string, std::string>& stages_;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

namespace {

Error no_image(const StageDraft& draft, const runner::Container& written) {
  const std::string remedy =
      written.image.empty()
          ? "state 'image' beside 'built'"
          : fmt::format("set the parameter that {} refers to", quoted(written.image));
  return invalid(
      fmt::format("stage '{}' runs in a container, but point {} has no image for it; {}, or make "
                  "'when' under 'container' false for the point, to run without a container",
                  draft.from.kind.name, draft.from.point.name, remedy),
      written.where);
}

}  // namespace

void fill_container(RunnerContext& context, StageDraft& draft) {
  const auto& written = draft.from.kind.container;
  if (!written) return;
  const matrix::Point& point = draft.from.point;
  // While the answer is unknown, the stage is listed with the fact that it waits for.
  if (written->when && !(answer(point, *written->when) > 0)) return;
  std::map<std::string, std::string> stages;
  for (const auto& [name, id] : draft.stage.needs)
    stages["stage:" + name] = fmt::format("{{stage:{}}}", id);
  ContainerTexts texts(point, stages);
  auto settings = std::make_shared<Settings>();
  settings->engine = context.options.container_engine;
  if (const std::string engine = texts.fill(written->engine); !engine.empty()) {
    if (const auto known = parse_name<container::Engine>(engine)) settings->engine = *known;
    else
      context.complaints.add(
          "engine " + engine,
          invalid(fmt::format("{} is not a container engine; write docker, podman, apptainer or "
                              "cluster",
                              quoted(engine)),
                  written->where));
  }
  for (const std::string& file : written->built)
    if (settings->built.empty() && !names_absent(draft.from, file))
      settings->built = texts.fill(file);
  if (settings->built.empty()) settings->image = texts.fill(written->image);
  settings->shm_size = texts.fill(written->shm_size);
  settings->network = texts.fill(written->network);
  settings->ipc = texts.fill(written->ipc);
  settings->as_user = written->as_user;
  settings->entrypoint = written->entrypoint;
  for (const auto& [name, limit] : written->ulimits)
    if (std::string value = texts.fill(limit); !value.empty()) settings->ulimits[name] = value;
  for (const auto& option : written->options) {
    const std::string text = texts.fill(option.text);
    if (option.cut)
      for (std::string& word : words_of(text)) settings->options.push_back(std::move(word));
    else if (!text.empty()) settings->options.push_back(text);
  }
  settings->caches = written->caches;
  for (const std::string& folders : written->folders)
    for (const std::string& folder : split(texts.fill(folders), ':'))
      if (!folder.empty()) settings->folders.push_back(folder);
  draft.container_waits = std::move(texts.unknown);
  for (const std::string& word : written->probe)
    if (std::string text = texts.fill(word); !text.empty()) settings->probe.push_back(text);
  // The programs in the container are the image's, which is in the digest.
  if (const auto& version = draft.stage.spec.version) settings->version = version->argv;
  draft.stage.spec.version.reset();
  const bool has_image = !settings->image.empty() || !settings->built.empty();
  if (!has_image && draft.container_waits.empty() && !point.is_rejected())
    return context.complaints.add("image of " + draft.from.kind.name, no_image(draft, *written));
  draft.stage.spec.container = std::move(settings);
}

}  // namespace orch::plan
