// The parts of StageText for containers and GPUs.
#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "run/script/stage_text.hpp"

#include <cmath>

namespace orch::script {

using plan::Stage;

namespace {

int gpus_of(const Stage& stage) { return static_cast<int>(std::ceil(stage.gpus)); }

// A command that prints the names of the variables PREFIX*, edited by EDIT, a sed command.
std::string names_from(std::string_view prefix, std::string_view edit) {
  return fmt::format("(compgen -e {} | {})", prefix, edit);
}

}  // namespace

// "libcuda" of libcuda.so.1
std::string StageText::driver_variable(std::string_view library) {
  std::string name(library.substr(0, library.find('.')));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A command that prints ",NAME" for each variable PREFIX*.
std::string StageText::comma_names(std::string_view prefix) {
  return names_from(prefix, "sed 's/^/,/' | tr -d '\\n'");
}

// The value of {container:WHAT}: a folder or a variable.
std::optional<ShellPart> StageText::of_container(const Stage& stage, std::string_view what) const {
  if (what == "runner") return ShellPart{runner_variable(stage.spec.runner), ""};
  if (what != "common") return ShellPart{std::string(what), ""};
  ShellPart folder = runner_file(stage.spec.runner, attempt::Layout::k_common);
  folder.text = folder.text.substr(0, folder.text.find_last_not_of('/') + 1);
  return folder;
}

std::vector<std::string> StageText::words(const Stage& stage, const std::vector<std::string>& argv,
                                          const std::map<std::string, ShellPart>& more) const {
  const std::string several = fmt::format("{{{}", container::k_matching);
  std::vector<std::string> words;
  for (const std::string& one : argv)
    if (one.starts_with(several))
      words.push_back("$" + names_from(one.substr(several.size(), one.size() - several.size() - 1),
                                       "sed 's/^/--env /'"));
    else words.push_back(shell_word(filled(stage, one, more)));
  return words;
}

// Adds the mounts of the other members of FIRST's batch, whose process makes the outputs of all
// members.
void StageText::add_mounts_of_members(const Stage& first,
                                      std::vector<container::Mount>& mounts) const {
  const auto group = std::ranges::find_if(
      wanted_.tasks(), [&](const WantedStages::Tasks& tasks) { return tasks.front() == &first; });
  if (!first.spec.batch || group == wanted_.tasks().end()) return;
  for (const Stage* member : *group)
    for (container::Mount mount : plan::container_start(plan_, *member).mounts) {
      if (member != &first && mount.path == "{out}")
        mount.path = fmt::format("{{stage:{}}}", member->id);
      if (member != &first && mount.path == "{work}")
        mount.path = fmt::format("{{{}{}}}", k_work_of, member->id);
      if (std::ranges::find(mounts, mount) == mounts.end()) mounts.push_back(std::move(mount));
    }
}

attempt::Contained StageText::contained(const Stage& stage) const {
  attempt::Contained made = attempt::contained(plan_, stage, options_.containers);
  add_mounts_of_members(stage, made.start.mounts);
  // MIG devices are named here, because CUDA exposes them in the container in a different way.
  for (std::size_t i = 0; i < std::min(made.start.gpus.size(), options_.gpus.size()); ++i)
    if (options_.gpus[i].starts_with("MIG-")) made.start.gpus[i] = options_.gpus[i];
  // Removes mounts of single files in the runner's folder, which may be at a different path where
  // the script runs.
  const attempt::RunnerFolders folders = layout_.folders_of(stage.spec.runner);
  const std::string common = layout_.runner_file(attempt::Layout::k_common, stage.spec.runner);
  std::erase_if(made.start.mounts, [&](const container::Mount& mount) {
    return mount.path.starts_with(folders.runner + "/") || mount.path.starts_with(common) ||
           mount.path.starts_with(folders.project + "/templates/");
  });
  return made;
}

// Adds the variables that choose the GPUs of STAGE, as `run` does; not in jobs, whose GPUs the
// cluster sets.
void StageText::show_gpus(const Stage& stage, std::vector<std::string>& head) const {
  const int count = gpus_of(stage);
  if (count > 0 ? options_.jobs_have_gpus : !options_.hides_gpus || plan::chooses_gpus(stage.spec))
    return;
  std::vector<std::string> gpus;
  for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(container::held_gpu(gpu));
  if (count > 0) head.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  head.push_back(word(stage, container::k_visible_gpus + ("=" + join(gpus, ","))));
}

// "CUDA_VISIBLE_DEVICES=LIST " before a command that uses the GPUs of STAGE; a job already has it.
std::string StageText::visible_gpus(const Stage& stage) const {
  if (options_.jobs_have_gpus) return "";
  std::vector<std::string> gpus;
  for (int gpu = 0; gpu < gpus_of(stage); ++gpu) gpus.push_back(container::held_gpu(gpu));
  return fmt::format("{}={} ", container::k_visible_gpus, word(stage, join(gpus, ",")));
}

std::string StageText::gpu_variables(int count, std::string_view list) {
  std::string names;
  for (int gpu = 0; gpu < count; ++gpu) names += fmt::format("{}{} ", k_gpu, gpu);
  return fmt::format("IFS=, read -r {}_ <<<\"{}\"\n", names, list);
}

std::string StageText::first_gpus(int count) {
  std::vector<std::string> gpus;
  for (int gpu = 0; gpu < count; ++gpu) gpus.push_back(std::to_string(gpu));
  return join(gpus, ",");
}

// The largest number of GPUs that a stage holds; 0 if the script does not choose GPUs.
int StageText::most_gpus() const {
  int most = 0;
  if (!options_.jobs_have_gpus)
    for (const Stage* stage : wanted_.made()) most = std::max(most, gpus_of(*stage));
  return most;
}

bool StageText::names_container(const Stage& stage) {
  return stage.spec.container && (stage.spec.container->engine == container::Engine::docker ||
                                  stage.spec.container->engine == container::Engine::podman);
}

// The lines that find the driver files to be mounted.
std::string StageText::driver_files(const Stage& stage) {
  std::string text;
  if (stage.driver && stage.gpus == 0 && names_container(stage))
    for (const char* library : container::k_driver_libraries)
      text += fmt::format("{}=$(library_of_driver {})\n", driver_variable(library), library);
  return text;
}

}  // namespace orch::script
