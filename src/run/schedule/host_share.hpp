// Assigns GPUs, cores, memory, disk space and tokens of the host to attempts. A GPU is reassigned
// only when its memory is free: the driver frees it only after the process has ended.
#pragma once

#include "os/system/gpus.hpp"
#include "plan/resources/ledger.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::schedule {

class HostShare {
 public:
  // MEMORY must outlive this. If MEMORY shows no GPU, requests are granted without GPUs, unless
  // CHOSEN names the GPUs that it may show. GPUs that INVENTORY lacks are added once MEMORY shows
  // them. APART: see Ledger.
  HostShare(system::GpuMemory& memory, resources::Inventory inventory, bool apart,
            std::string chosen = "");

  // See Ledger::set_free_disk(). Before the first call, disk space is not limited.
  void set_free_disk(std::uint64_t bytes) { ledger_.set_free_disk(bytes); }

  struct Answer {
    bool granted = false;    // to HOLDER: see held()
    std::string dirty = {};  // why GPU memory used by others prevents it: a sentence; else ""
    bool missing = false;    // `dirty` is about chosen GPUs that do not answer
  };
  // Requests REQUEST for HOLDER, a unique name.
  Answer ask(const std::string& holder, const resources::Request& request);
  // Notes that HOLDER, an adopted attempt, already uses GRANT.
  void hold(const std::string& holder, const resources::Request& request, resources::Grant grant) {
    ledger_.take(holder, request, std::move(grant));
  }
  // Call after the last hold(): gives the clients of adopted servers their cores.
  void complete_adopted();
  // What is assigned to HOLDER; an empty grant if nothing is.
  resources::Grant held(const std::string& holder) const;
  void give_back(const std::string& holder) { ledger_.give_back(holder); }
  // Whether REQUEST could be granted if BESIDE were the only holder.
  bool can_ever_grant(const resources::Request& request, const std::string& beside) const;
  // The resources in use, for callers that compute what would be free later.
  const resources::Ledger& ledger() const { return ledger_; }

 private:
  // Why GPU cannot be assigned; "" if it can.
  std::string unclean(const system::GpuUse& gpu) const;
  void learn(const std::vector<system::GpuUse>& gpus);

  system::GpuMemory& memory_;
  std::string chosen_;
  bool apart_;
  resources::Ledger ledger_;
  std::map<int, double> least_gib_;  // the lowest use ever read: memory that the driver keeps
};

}  // namespace orch::schedule
