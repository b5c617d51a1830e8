// The CPUs of this host: which of them this process may use, on which the threads of other
// processes run, and which share a core.
#pragma once

#include "core/base/result.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

using CpuSet = std::set<int>;

// "0-3,7".
std::string cpu_list(const CpuSet& cpus);
// Parses a list in that form, as the kernel writes it; ignores surrounding spaces. The error quotes
// TEXT.
Result<CpuSet> parse_cpu_list(std::string_view text);

// The CPUs that the calling thread may use; empty if unknown.
CpuSet own_cpus();

// A thread of another process.
struct ThreadCpus {
  CpuSet allowed;    // by its affinity and its cgroup
  int last = 0;      // the CPU on which it last ran
  double cpu_s = 0;  // CPU time since it started
};

class Cpus {
 public:
  virtual ~Cpus() = default;
  // As own_cpus().
  virtual CpuSet own() = 0;
  // All threads of PIDS, which are numbers in host_proc(). Processes that have ended or are hidden
  // by /proc contribute none.
  virtual std::vector<ThreadCpus> threads_of(const std::set<int>& pids) = 0;
  // The hardware threads of the core that CPU belongs to: CPU itself and its siblings.
  virtual CpuSet core_of(int cpu) = 0;
  // As cpu_quota().
  virtual std::optional<double> quota() = 0;
  // Restricts every thread of this process to CPUS, and therefore the threads and processes that
  // they start later. Fails without effect if the system withholds one of CPUS from this process or
  // CPUS is empty.
  virtual Status move_to(const CpuSet& cpus) = 0;
};

class RealCpus final : public Cpus {
 public:
  CpuSet own() override { return own_cpus(); }
  std::vector<ThreadCpus> threads_of(const std::set<int>& pids) override;
  CpuSet core_of(int cpu) override;
  std::optional<double> quota() override;
  Status move_to(const CpuSet& cpus) override;
};

// Which CPUs of this host share a core and a NUMA node, according to the kernel.

struct HostCore {
  std::vector<int> cpus = {};  // its hardware threads that this process may use, sorted
  int node = 0;                // its NUMA node; 0 if the kernel reports none
};

// The cores of the CPUs in OWN, in order of their first CPU. If SYS, the folder
// /sys/devices/system, has no topology, each CPU is its own core.
std::vector<HostCore> detect_cores(const CpuSet& own,
                                   const std::string& sys = "/sys/devices/system");

// The first of CORES that together have at most CPUS hardware threads, but at least one core.
std::vector<HostCore> first_cores(std::vector<HostCore> cores, int cpus);

// The NUMA nodes that have memory; empty if SYS does not list them.
std::set<int> memory_nodes(const std::string& sys = "/sys/devices/system");

// Restricts this process, and processes that it starts later, to certain CPUs and memory.

// Restricts the threads of this process to CPUS; if empty, to those it had at the start. Memory
// that the calling thread and its later children allocate comes from NODES (NUMA); if empty, from
// anywhere. On error nothing has changed except the memory policy.
Status bind_to(const CpuSet& cpus, const std::vector<int>& nodes);

}  // namespace orch::system
