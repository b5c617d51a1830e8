#include "app/session/host/host_inventory.hpp"

#include "core/base/text.hpp"
#include "app/session/host/divided_servers.hpp"

namespace orch::session {

namespace {

// NAME as the machine is stated; 0 where it is not.
int stated(const Experiment& experiment, const std::string& name) {
  for (const auto& [key, value] : experiment.stated)
    if (key == name) return static_cast<int>(to_integer(value.text).value_or(0));
  return 0;
}

}  // namespace

resources::Inventory host_inventory(const Experiment& experiment) {
  resources::Inventory inventory;
  if (const ranks::Nodes nodes = nodes_of(experiment); nodes.count > 1) {
    inventory = resources::plain_inventory(stated(experiment, "cpus") * nodes.count,
                                           nodes.gpus * nodes.count);
  } else if (is_elsewhere(experiment.stated, experiment.machine)) {
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
  if (choice.gpus.empty() &&
      (choice.is_made() || !is_split || is_elsewhere(experiment.stated, experiment.machine)))
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

}  // namespace orch::session
