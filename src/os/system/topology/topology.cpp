#include "os/system/topology/topology.hpp"

#include "core/base/text.hpp"
#include "os/system/proc.hpp"

#include <filesystem>
#include <map>

namespace orch::system {

namespace {

// Of each CPU that belongs to a node.
std::map<int, int> nodes_of_cpus(const std::string& sys) {
  std::map<int, int> nodes;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(sys + "/node", code)) {
    const std::string name = entry.path().filename().string();
    const auto node = name.starts_with("node") ? to_integer(name.substr(4)) : std::nullopt;
    if (!node) continue;
    const auto cpus = parse_cpu_list(read_proc(entry.path().string() + "/cpulist"));
    if (!cpus) continue;
    for (const int cpu : *cpus) nodes[cpu] = static_cast<int>(*node);
  }
  return nodes;
}

}  // namespace

std::vector<HostCore> detect_cores(const CpuSet& own, const std::string& sys) {
  const std::map<int, int> nodes = nodes_of_cpus(sys);
  std::vector<HostCore> cores;
  CpuSet seen;
  for (const int cpu : own) {
    if (seen.contains(cpu)) continue;
    const auto siblings = parse_cpu_list(
        read_proc(fmt::format("{}/cpu/cpu{}/topology/thread_siblings_list", sys, cpu)));
    const auto node = nodes.find(cpu);
    HostCore core{.cpus = {}, .node = node == nodes.end() ? 0 : node->second};
    for (const int sibling : siblings && siblings->contains(cpu) ? *siblings : CpuSet{cpu})
      if (own.contains(sibling) && seen.insert(sibling).second) core.cpus.push_back(sibling);
    cores.push_back(std::move(core));
  }
  return cores;
}

std::set<int> memory_nodes(const std::string& sys) {
  return parse_cpu_list(read_proc(sys + "/node/has_memory")).value_or(CpuSet());
}

}  // namespace orch::system
