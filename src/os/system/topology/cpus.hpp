// The CPUs of this host: which of them this process may use, on which the threads of other
// processes run, and which share a core. It chooses none.
#pragma once

#include "core/base/result.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

using CpuSet = std::set<int>;

// "0-3,7".
std::string cpu_list(const CpuSet& cpus);
// The reverse, as the kernel writes it; spaces around it are ignored. The error quotes TEXT.
Result<CpuSet> parse_cpu_list(std::string_view text);

// The CPUs that the calling thread may use; empty if they are unknown.
CpuSet own_cpus();

// A thread of another process.
struct ThreadCpus {
  CpuSet allowed;    // by its affinity and its cgroup
  int last = 0;      // the CPU that it last ran on
  double cpu_s = 0;  // CPU time since it was started
};

class Cpus {
 public:
  virtual ~Cpus() = default;
  // As own_cpus().
  virtual CpuSet own() = 0;
  // All threads of PIDS, which are numbers in host_proc(). Processes that have ended or that /proc
  // hides have none.
  virtual std::vector<ThreadCpus> threads_of(const std::set<int>& pids) = 0;
  // The hardware threads of the core that CPU belongs to: CPU itself and its siblings.
  virtual CpuSet core_of(int cpu) = 0;
  // Lets every thread of this process use CPUS and no others, and so the threads and processes
  // that they start later. Fails, and changes nothing, if the system withholds one of CPUS from
  // this process or CPUS is empty.
  virtual Status move_to(const CpuSet& cpus) = 0;
};

class RealCpus final : public Cpus {
 public:
  CpuSet own() override { return own_cpus(); }
  std::vector<ThreadCpus> threads_of(const std::set<int>& pids) override;
  CpuSet core_of(int cpu) override;
  Status move_to(const CpuSet& cpus) override;
};

// Which CPUs of this host share a core and a NUMA node, as the kernel says.

struct HostCore {
  std::vector<int> cpus;  // its hardware threads that this process may use, sorted
  int node = 0;           // its NUMA node; 0 where the kernel names none
};

// The cores of OWN, by their first CPU. Where SYS, the folder /sys/devices/system, says nothing,
// each CPU is a core of its own.
std::vector<HostCore> detect_cores(const CpuSet& own,
                                   const std::string& sys = "/sys/devices/system");

// The NUMA nodes that have memory; empty where SYS says nothing.
std::set<int> memory_nodes(const std::string& sys = "/sys/devices/system");

// Keeps this process, and the processes that it starts later, on some CPUs and some memory.

// Threads of this process use CPUS and no others; empty: those that it had when it was started.
// Memory that the calling thread's children allocate comes from NODES (NUMA); empty: from anywhere.
// On error nothing has changed but the memory.
Status bind_to(const CpuSet& cpus, const std::vector<int>& nodes);

}  // namespace orch::system
