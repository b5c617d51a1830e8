#include "app/doctor/doctor.hpp"

#include "run/attempt/shared_outputs.hpp"
#include "core/base/text.hpp"
#include "app/doctor/container_engines.hpp"
#include "app/doctor/runner_needs.hpp"
#include "app/doctor/shared_paths.hpp"
#include "app/doctor/slurm_cluster.hpp"
#include "app/session/host/host_facts.hpp"
#include "os/system/file_system.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace orch::doctor {

namespace {

using session::RunnerFile;

std::vector<RunnerFile> chosen_runners(std::vector<RunnerFile> all, const std::string& name,
                                       Errors& errors) {
  if (name.empty()) return all;
  std::vector<std::string> names;
  for (const RunnerFile& one : all) names.push_back(one.name);
  std::erase_if(all, [&](const RunnerFile& one) { return one.name != name; });
  if (all.empty()) {
    const std::string near = did_you_mean(name, names);
    errors.push_back({ErrorKind::not_found,
                      fmt::format("no runner {}{}", quoted(name),
                                  near.empty() ? "; the runners are: " + join(names, ", ") : near),
                      {}});
  }
  return all;
}

// A manifest in each folder of runners.
std::vector<std::string> files_of_projects(const std::vector<RunnerFile>& runners) {
  std::vector<std::string> files;
  std::set<std::string> folders;
  for (const RunnerFile& one : runners)
    if (folders.insert(std::filesystem::path(one.folder).parent_path().string()).second)
      files.push_back(one.folder + "/runner.yaml");
  return files;
}

// Where `run` makes environments, or a folder above it that exists; "" where it makes them in the
// results folder, or RUNNERS need none; nothing where the file system does not answer.
std::optional<std::string> environments_folder(const Asking& asking,
                                               const std::vector<RunnerFile>& runners) {
  const std::string root = attempt::shared_root(asking.world().environment);
  const auto makes_some = [&](const RunnerFile& runner) {
    Errors ignored;  // they are in the section of the runner
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
    cluster.unknown = "the cache, where environments are made, gives no answer from here";
  else if (!environments->empty())
    paths.folders.push_back({.what = "the folder of environments",
                             .path = *environments,
                             .choice = "XDG_CACHE_HOME=DIR"});
  return paths_section(asking, site.slurm, cluster, paths);
}

}  // namespace

std::vector<Section> examine(const With& with, const Asked& asked, Errors& errors) {
  session::World& world = with.world;
  const session::Site site = session::read_site(world.files, asked.site_file, errors);
  const auto runners =
      chosen_runners(session::runners_near(
                         world.files, {.chosen = asked.runners, .near = "", .site = site.runners}),
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
         .projects = {},
         .folders = {
             {.what = "the results folder", .path = store.folder, .choice = "--store DIR"}}}));
  for (const RunnerFile& runner : runners) {
    sections.push_back(runner_section(
        asking, runner, {.host = host.facts, .container = site.container, .slurm = asked.slurm}));
    sections.back().is_asked_for = !asked.runner.empty();
  }
  return sections;
}

}  // namespace orch::doctor
