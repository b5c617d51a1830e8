// What this machine is: facts that stand beside every result.
#pragma once

#include "system/gpus.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::system {

struct Machine {
  std::string host;
  std::string cpu_model;
  int cpus = 0;  // that this process may use
  double memory_gib = 0;
  std::string kernel;
  std::string system;  // "Debian GNU/Linux 12 (bookworm)"
  std::string boot_id;
  std::optional<Gpus> gpus;  // empty: none was seen

  // Name -> text, for the store.
  std::map<std::string, std::string> facts() const;
};

Machine detect_machine();

}  // namespace orch::system
