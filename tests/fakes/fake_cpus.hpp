// The CPUs of a host in memory: the client may use some of them, and other processes have threads.
#pragma once

#include "os/system/topology/cpus.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::fakes {

class FakeCpus final : public system::Cpus {
 public:
  explicit FakeCpus(system::CpuSet permitted_to_client)
      : permitted(std::move(permitted_to_client)), used(permitted) {}

  system::CpuSet permitted;                               // by the system
  system::CpuSet used;                                    // by the client
  std::map<int, std::vector<system::ThreadCpus>> others;  // by pid
  std::vector<system::CpuSet> cores;                      // of more than one CPU
  std::optional<double> limit;                            // by a cgroup
  std::vector<std::string> diary;                         // "0-3": the client was moved there

  system::CpuSet own() override { return used; }
  std::vector<system::ThreadCpus> threads_of(const std::set<int>& pids) override {
    std::vector<system::ThreadCpus> out;
    for (const int pid : pids)
      if (const auto found = others.find(pid); found != others.end())
        out.insert(out.end(), found->second.begin(), found->second.end());
    return out;
  }
  system::CpuSet core_of(int cpu) override {
    for (const system::CpuSet& core : cores)
      if (core.contains(cpu)) return core;
    return {cpu};
  }
  std::optional<double> quota() override { return limit; }
  Status move_to(const system::CpuSet& cpus) override {
    for (const int cpu : cpus)
      if (!permitted.contains(cpu)) return invalid("withheld");
    if (cpus.empty()) return invalid("no CPU");
    used = cpus;
    diary.push_back(system::cpu_list(cpus));
    return {};
  }
};

}  // namespace orch::fakes
