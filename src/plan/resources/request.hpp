// What an attempt asks of a host, and what it is given. Values only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::resources {

struct Request {
  // Which cores, where attempts are kept apart (Ledger).
  enum class Cores {
    none,     // none are assigned: it has those of its server, or may use all
    shared,   // those that nobody has; others that ask for the same may use them as well
    counted,  // so many of its own; all where the host has fewer
    by_gpus,  // those that belong to its GPUs
    all,      // every core of the host
  };

  int gpus = 0;
  Cores which = Cores::none;
  int cores = 0;             // when counted
  bool with_client = false;  // one of its cores, if it has four, is for the client that measures it
  double memory_gib = 0;     // 0: not stated, and not counted
  std::uint64_t disk_bytes = 0;         // that it writes; 0: not known, and not counted
  std::map<std::string, int> tokens{};  // how many of each

  auto operator<=>(const Request&) const = default;
  // Whether it can be granted on any host at any time.
  bool asks_nothing() const { return *this == Request{}; }
};

struct Grant {
  std::vector<int> gpus;  // sorted
  // The CPUs that its processes are kept on, sorted; empty: all of the host.
  std::vector<int> cpus;
  // Those of the client that measures it, which cpus lacks; empty: the same.
  std::vector<int> client_cpus;
  // The NUMA nodes of those CPUs, on which its memory is; empty: any.
  std::set<int> nodes;
};

}  // namespace orch::resources
