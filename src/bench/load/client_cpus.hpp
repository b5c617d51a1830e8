// Where the client runs during all loads of a benchmark, so that their figures are comparable: on
// the CPUs of --cpus, or on some that the servers of this host leave free. If a server is bound to
// the client's CPU, both take turns there, and latencies come out too high.
#pragma once

#include "core/base/result.hpp"
#include "os/system/topology/cpus.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sched.h>

namespace orch::load {

// Fails if ASKED, which the user requested, contains a CPU that this process may not run on.
Status check_asked_cpus(system::Cpus& cpus, const system::CpuSet& asked);

// leave() and the destructor move the client back to its original CPUs: work between loads may use
// every CPU. Used from one thread; moves all threads.
class ClientCpus {
 public:
  // CPUS: borrowed. Null: the client is not moved, and nothing is reported about it.
  explicit ClientCpus(system::Cpus* cpus);
  ClientCpus(const ClientCpus&) = delete;
  ClientCpus& operator=(const ClientCpus&) = delete;
  ~ClientCpus();

  // Moves to ASKED, the CPUs that the user requested; choose() then does nothing.
  Status use(const system::CpuSet& asked);
  // Chooses CPUs beside the servers of this host. PIDS: their processes; UNSEEN: the ports whose
  // processes are not visible. Without either, all servers are remote and nothing is chosen. Later
  // calls move the client to the CPUs that the first chose. Returns a line for the user, "" if
  // there is nothing to report.
  std::string choose(const std::set<int>& pids, const std::vector<std::uint16_t>& unseen);

  void leave();

  // A warning if a cgroup allows less CPU time than the CPUs of the client have; else "".
  std::string quota_warning() const;

  // Why the client runs on these CPUs, for the record; "" if no CPUs were to be chosen.
  const std::string& why() const { return why_; }

 private:
  std::string choose_beside(const std::set<int>& pids);

  system::Cpus* cpus_;
  system::CpuSet before_;
  bool asked_ = false;
  bool chosen_ = false;
  system::CpuSet choice_;  // of the first load; empty: none
  bool moved_ = false;
  std::string why_;
};

// Which CPUs the client should use beside servers on the same host. A pure function of the
// evidence: makes no system call and moves nothing.

struct CpuEvidence {
  system::CpuSet allowed;  // the CPUs allowed to the client by its affinity and its cgroup
  std::vector<system::ThreadCpus> servers;  // the threads of all servers; at least one
  // By CPU: all CPUs of its core. No entry: the CPU is alone on its core.
  std::map<int, system::CpuSet> cores = {};
};

struct CpuChoice {
  system::CpuSet cpus = {};  // empty: none is free
  std::string why;           // what the server uses: "the server is bound to CPU 1"
};

// The CPUs of `allowed` with the least mutual disturbance. A CPU to which a server thread is bound
// is never chosen: that thread cannot give way. A thread that may use every allowed CPU can be
// moved by the kernel; the CPU that it last ran on is avoided if it has used noticeable CPU time,
// and so are the siblings of CPUs in use. Empty if a thread is bound to each CPU, or if no thread
// is bound and every CPU was the last one of a thread.
CpuChoice choose_cpus(const CpuEvidence& evidence);

// "CPU 1", "CPUs 0-3".
std::string cpus_text(const system::CpuSet& cpus);

// Real-time priority for the calling thread, as far as the system permits. On a host that the
// server keeps busy, a thread of normal priority may read a token only milliseconds after it
// arrived.

// Round robin at the lowest real-time priority, if permitted and if another core is left for the
// server; else unchanged. The destructor restores the priority. Construct and destroy on the same
// thread.
class RealTimePriority {
 public:
  RealTimePriority();
  RealTimePriority(const RealTimePriority&) = delete;
  RealTimePriority& operator=(const RealTimePriority&) = delete;
  ~RealTimePriority();

  // "real-time" or "normal", for the record.
  std::string_view scheduling() const { return raised_ ? "real-time" : "normal"; }

 private:
  bool raised_ = false;
  int policy_before_ = SCHED_OTHER;
  sched_param param_before_{};
};

}  // namespace orch::load
