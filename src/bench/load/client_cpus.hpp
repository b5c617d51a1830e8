// Where the client runs during all loads of a benchmark, whose figures are compared: on the CPUs of
// --cpus, or on some that the servers of this host leave free. A client of real-time priority stays
// on the CPU where it is; beside a server that is bound to that CPU, each would wait for the other.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "os/system/topology/cpus.hpp"

namespace orch::load {

// Fails when this process may not run on all CPUs that the user ASKED for.
Status check_asked_cpus(system::Cpus& cpus, const system::CpuSet& asked);

// leave() and the destructor move the client back to where it was: what is done between loads may
// use every CPU. Used from one thread; moves all threads.
class ClientCpus {
 public:
  // CPUS: borrowed. Null: the client stays where it is, and nothing is said about it.
  explicit ClientCpus(system::Cpus* cpus);
  ClientCpus(const ClientCpus&) = delete;
  ClientCpus& operator=(const ClientCpus&) = delete;
  ~ClientCpus();

  // Moves to what the user ASKED for; choose() does nothing then.
  Status use(const system::CpuSet& asked);
  // Chooses beside the servers of this host: PIDS are their processes, UNSEEN the ports whose
  // processes are not visible. Nothing is chosen without either: all servers are remote. Later
  // loads run where the first one did. Returns a line for the user, "" if there is nothing to say.
  std::string choose(const std::set<int>& pids, const std::vector<std::uint16_t>& unseen);

  void leave();

  // Why the client runs where it does, for the record; "" if it was left where it was.
  const std::string& why() const { return why_; }

 private:
  std::string choose_beside(const std::set<int>& pids);

  system::Cpus* cpus_;
  system::CpuSet before_;
  bool asked_ = false;
  bool chosen_ = false;
  system::CpuSet choice_;  // empty: it was left where it was
  bool moved_ = false;
  std::string why_;
};

}  // namespace orch::load
