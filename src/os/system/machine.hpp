// Facts about this machine that are stored with every result. Knows nothing of results.
#pragma once

#include "os/system/gpus.hpp"
#include "os/system/topology/topology.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::system {

struct Machine {
  std::string host;
  std::string cpu_model;
  int cpus = 0;  // usable by this process
  double memory_gib = 0;
  std::string kernel;
  std::string system;  // "Debian GNU/Linux 12 (bookworm)"
  std::string boot_id;
  std::optional<Gpus> gpus;          // empty: none is visible
  std::vector<HostCore> cores = {};  // that this process may use

  // Name to text, for the store.
  std::map<std::string, std::string> facts() const;
};

// Facts that cannot be read stay empty or 0.
Machine detect_machine();

}  // namespace orch::system
