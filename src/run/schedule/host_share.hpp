// Assigns GPUs, cores, memory, disk space and tokens of the host to attempts. A GPU is assigned
// again only when its memory is free: the driver frees it some time after the process has ended.
// Knows no stage.
#pragma once

#include "os/system/gpus.hpp"
#include "plan/resources/ledger.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::schedule {

class HostShare {
 public:
  // MEMORY must outlive this. Where it reads no GPU, every request is granted without any, unless
  // it shows only the GPUs that CHOSEN names. GPUs that INVENTORY lacks are added as they are seen.
  HostShare(system::GpuMemory& memory, resources::Inventory inventory, bool apart,
            std::string chosen = "");

  // As Ledger::set_free_disk(); before the first call, disk space is not counted.
  void set_free_disk(std::uint64_t bytes) { ledger_.set_free_disk(bytes); }

  struct Answer {
    bool granted = false;  // HOLDER has it: see held()
    std::string dirty;     // not granted, because of GPU memory used by others: a sentence
    bool missing = false;  // `dirty` says so: chosen GPUs do not answer
  };
  // Requests REQUEST for HOLDER, a name that nothing else has.
  Answer ask(const std::string& holder, const resources::Request& request);
  // HOLDER already uses GRANT: an adopted attempt.
  void hold(const std::string& holder, const resources::Request& request, resources::Grant grant);
  // After the last hold(): gives the clients of adopted servers their cores.
  void complete_adopted();
  // Empty where nothing is assigned.
  resources::Grant held(const std::string& holder) const;
  void give_back(const std::string& holder);
  // Whether REQUEST could be granted if nothing were in use but what the holder BESIDE has.
  bool can_ever_grant(const resources::Request& request, const std::string& beside) const;
  // What is in use now, for questions such as what would be free later.
  const resources::Ledger& ledger() const { return ledger_; }

 private:
  // Why GPU cannot be assigned; empty when it can.
  std::string unclean(const system::GpuUse& gpu) const;
  void learn(const std::vector<system::GpuUse>& gpus);

  system::GpuMemory& memory_;
  std::string chosen_;
  bool apart_;
  resources::Ledger ledger_;
  std::map<std::string, std::pair<resources::Request, resources::Grant>> held_;
  std::map<int, double> least_gib_;  // the lowest use ever read: memory that the driver keeps
};

}  // namespace orch::schedule
