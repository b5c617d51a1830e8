#include "app/session/host/host_inventory.hpp"

#include "core/base/text.hpp"
#include "os/system/topology/cpus.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <cmath>

#include <unistd.h>

namespace orch::session {

namespace {

// The value of NAME as stated for the machine; 0 if it is not stated.
int stated(const Experiment& experiment, const std::string& name) {
  for (const auto& [key, value] : experiment.stated)
    if (key == name) return static_cast<int>(to_integer(value.text).value_or(0));
  return 0;
}

int number_of(const Experiment& experiment, const std::string& fact, int absent) {
  const auto found = experiment.host.facts.find(fact);
  const auto number =
      found == experiment.host.facts.end() ? std::nullopt : to_integer(found->second.text);
  return number ? static_cast<int>(*number) : absent;
}

Location where_is(const plan::Stage& stage, const Experiment& experiment) {
  for (const UsedRunner& runner : experiment.runners)
    if (stage.spec.runner.empty() || stage.spec.runner == runner.manifest.name)
      if (const runner::StageKind* kind = runner.manifest.find(stage.spec.name)) return kind->where;
  return {};
}

// Calls SAY for stages of PLAN with more GPUs than a node. Once SAY returns true, other stages of
// the same name are skipped.
template <class Say> void for_each_large(const plan::Plan& plan, const Say& say) {
  std::set<std::string> named;
  for (const plan::Stage& stage : plan.stages)
    if (plan.nodes.count > 1 && plan.nodes.gpus > 0 && stage.gpus > plan.nodes.gpus &&
        (stage.status == plan::Status::run || stage.status == plan::Status::undecided) &&
        !named.contains(stage.spec.name) && say(stage))
      named.insert(stage.spec.name);
}

// Why the ranks of STAGE, a server, cannot be in its containers on several nodes; "" if they can.
std::string why_on_one_node(const plan::Stage& stage, const std::string& mpi) {
  using container::Engine;
  if (!stage.spec.container) return "";
  const Engine engine = stage.spec.container->engine;
  const auto& argv = stage.spec.argv;
  if (engine == Engine::docker || engine == Engine::podman)
    return fmt::format(
        "but {} starts containers on one; set `container: {{engine: cluster}}` (or apptainer) in "
        "the site file",
        to_string(engine));
  if (engine == Engine::cluster && mpi == ranks::k_by_mpirun)
    return "but `slurm: {mpi: mpirun}` of the site file starts none of the cluster's containers; "
           "remove it";
  if (engine == Engine::cluster && std::ranges::find(argv, container::k_marker) != argv.end())
    return fmt::format("but part of its command precedes {}, outside its container; leave that out",
                       container::k_marker);
  return "";
}

// Rejects a locked GPU clock for STAGE, a server on several nodes: its job would restore the clocks
// only on the first node.
void refuse_clock(const plan::Stage& stage, const Experiment& experiment, Errors& errors) {
  const matrix::Measure& measure = experiment.matrix.measure;
  if (measure.gpu_clock_mhz == 0) return;
  errors.push_back(
      invalid(fmt::format("'measure.gpu_clock_mhz' is {}, but the {:g} GPUs of stage '{}' are on "
                          "several nodes, where clocks are not locked; leave it out, or choose "
                          "values that need the GPUs of one node",
                          measure.gpu_clock_mhz, stage.gpus, stage.spec.name),
              measure.gpu_clock_where));
}

}  // namespace

resources::Inventory host_inventory(const Experiment& experiment) {
  resources::Inventory inventory;
  if (const ranks::Nodes nodes = nodes_of(experiment); nodes.count > 1) {
    inventory = resources::plain_inventory(stated(experiment, "cpus") * nodes.count,
                                           nodes.gpus * nodes.count);
  } else if (experiment.is_of_other_machine()) {
    inventory = resources::plain_inventory(stated(experiment, "cpus"), stated(experiment, "gpus"));
  } else {
    for (const system::HostCore& core : experiment.machine.cores)
      inventory.cores.push_back({.cpus = core.cpus, .node = core.node});
    if (experiment.machine.gpus)
      for (const system::Gpu& gpu : experiment.machine.gpus->each)
        if (!experiment.gpus.is_made() || experiment.gpus.indices().contains(gpu.index))
          inventory.gpus.push_back({.index = gpu.index, .node = gpu.node, .linked = gpu.linked});
    inventory.memory_gib = experiment.machine.memory_gib;
  }
  inventory.tokens = experiment.site.tokens;
  return inventory;
}

bool has_gpus(const Experiment& experiment) {
  const auto count = experiment.host.facts.find("host_gpus");
  return count != experiment.host.facts.end() && count->second.text != "0";
}

std::vector<std::string> names_of_gpus(const Experiment& experiment) {
  const auto& here = experiment.machine.gpus;
  const GpuChoice& choice = experiment.gpus;
  const bool is_split = here && !here->mig.empty();
  if (choice.gpus.empty() && (choice.is_made() || !is_split || experiment.is_of_other_machine()))
    return choice.wanted.ids;
  std::vector<std::string> names;
  for (const system::Gpu& gpu : choice.is_made() ? choice.gpus : here->each)
    names.push_back(is_split ? gpu.uuid : std::to_string(gpu.index));
  return names;
}

std::size_t usual_jobs(const resources::Inventory& inventory) {
  constexpr std::size_t k_most = 4;
  std::size_t cpus = 0;
  for (const resources::Core& core : inventory.cores) cpus += core.cpus.size();
  return inventory.cores.empty() ? k_most : std::clamp<std::size_t>(cpus, 1, k_most);
}

attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment) {
  const ContainerSite& site = experiment.site.container;
  attempt::ContainerHost host;
  if (!site.command.empty()) host.commands[site.engine] = site.command;
  if (!site.options.empty()) host.options[site.engine] = site.options;
  // A socket in the user's runtime folder means that the daemon is the user's own.
  const auto daemon = environment.find("DOCKER_HOST");
  const bool own_daemon =
      daemon != environment.end() && daemon->second.find("/run/user/") != std::string::npos;
  host.rootless = site.rootless.value_or(
      site.engine == container::Engine::docker ? own_daemon : ::geteuid() != 0);
  host.memory_nodes = system::memory_nodes();
  return host;
}

ranks::Nodes nodes_of(const Experiment& experiment) {
  return {.count = number_of(experiment, "host_nodes", 1),
          .gpus = number_of(experiment, "host_gpus", 0)};
}

void refuse_undivided(const plan::Plan& plan, const Experiment& experiment, Errors& errors) {
  for_each_large(plan, [&](const plan::Stage& stage) {
    const auto ranks = stage.spec.kind == runner::Kind::service
                           ? ranks::mpi_ranks(container::put_in(stage.spec.argv, {}))
                           : std::nullopt;
    const int gpus = static_cast<int>(std::ceil(stage.gpus));
    if (ranks && ranks::nodes_for(ranks->count, gpus, plan.nodes)) {
      refuse_clock(stage, experiment, errors);
      return plan.gpu_clock_mhz > 0;
    }
    const std::string begin = fmt::format("stage '{}' needs {} GPUs, but each of {} nodes has {}",
                                          stage.spec.name, gpus, plan.nodes.count, plan.nodes.gpus);
    const std::string why =
        ranks ? fmt::format("its {} ranks cannot be divided evenly among them", ranks->count)
              : "only a server that starts its ranks with one mpirun can span several nodes";
    errors.push_back(invalid(
        fmt::format("{}: {}; choose values that need fewer GPUs, or state other `nodes` of the "
                    "machine",
                    begin, why),
        where_is(stage, experiment)));
    return true;
  });
}

void refuse_contained(const plan::Plan& plan, const Experiment& experiment, Errors& errors) {
  for_each_large(plan, [&](const plan::Stage& stage) {
    const std::string why = why_on_one_node(stage, experiment.site.slurm.mpi);
    if (why.empty()) return false;
    errors.push_back(
        invalid(fmt::format("stage '{}' needs {:g} GPUs on several nodes, {}, or use an "
                            "installation instead of an image",
                            stage.spec.name, stage.gpus, why),
                where_is(stage, experiment)));
    return true;
  });
}

}  // namespace orch::session
