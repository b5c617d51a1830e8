#include "script/script_container.hpp"

#include "attempt/container_host.hpp"
#include "plan/containers.hpp"

namespace orch::script {

container::Start script_start(const plan::Plan& plan, const plan::Stage& stage,
                              const attempt::Layout& layout, const std::vector<std::string>& gpus) {
  const container::Settings& settings = *stage.spec.container;
  container::Start start = plan::container_start(plan, stage);
  start.engine = attempt::ContainerHost().command_of(settings.engine);
  start.name = "{token}-" + stage.id;
  if (!settings.built.empty()) start.image = "{image}";
  const attempt::RunnerFolders folders = layout.folders_of(stage.spec.runner);
  start.mounts.push_back({folders.runner, false});
  if (!folders.common.empty()) start.mounts.push_back({folders.common, false});
  for (const std::string& input : stage.inputs) start.mounts.push_back({input, false});
  if (stage.spec.batch) start.mounts.push_back({"{jobs}", false});
  start.mounts = container::without_inner(std::move(start.mounts));
  for (const auto& [name, value] : stage.spec.env)
    if (!container::stays_outside(name)) start.pass.push_back(name);
  for (const auto* names : {&stage.spec.inherit, &stage.spec.secrets})
    for (const std::string& name : *names)
      if (!name.ends_with('*') && !container::stays_outside(name)) start.pass.push_back(name);
  start.pass.emplace_back("TMPDIR");
  if (stage.gpus > 0) start.gpus = gpus;
  // Root in a container of podman is the caller: root, or a user of a rootless engine.
  start.user = settings.as_user && settings.engine == container::Engine::docker
                   ? "{user}"
                   : attempt::user_option(settings, {.rootless = true});
  return start;
}

std::vector<std::string> contained_argv(const plan::Plan& plan, const plan::Stage& stage,
                                        const attempt::Layout& layout,
                                        const std::vector<std::string>& gpus) {
  if (!stage.spec.container) return container::put_in(stage.spec.argv, {});
  return container::put_in(
      stage.spec.argv,
      container::words_of(*stage.spec.container, script_start(plan, stage, layout, gpus)));
}

}  // namespace orch::script
