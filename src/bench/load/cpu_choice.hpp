// Which CPUs the client should use beside servers on the same host. A pure function of what was
// read; it asks no kernel and moves nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "os/system/topology/cpus.hpp"

namespace orch::load {

struct CpuEvidence {
  system::CpuSet allowed;                   // to the client: by its affinity and its cgroup
  std::vector<system::ThreadCpus> servers;  // the threads of all servers; at least one
  std::map<int, system::CpuSet> cores;      // CPUs of the same core; without a row: a core alone
};

struct CpuChoice {
  system::CpuSet cpus;  // empty: none is free
  std::string why;      // what the server uses: "the server is bound to CPU 1"
};

// The CPUs of `allowed` that disturb and are disturbed least. A CPU to which a thread of a server
// is bound is never chosen: that thread cannot give way. A thread that may use every allowed CPU
// can be moved by the kernel; the CPU that it last ran on is avoided if it has used noticeable CPU
// time, and so are the siblings of CPUs in use. None is free where all threads may run everywhere
// and have last run on all CPUs.
CpuChoice choose_cpus(const CpuEvidence& evidence);

// "CPU 1", "CPUs 0-3".
std::string cpus_text(const system::CpuSet& cpus);

}  // namespace orch::load
