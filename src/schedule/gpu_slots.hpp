// Assigns GPUs to attempts. A GPU is assigned again only when its memory is free: the driver frees
// it some time after the process has ended. Knows no stage.
#pragma once

#include "base/result.hpp"
#include "system/gpus.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::schedule {

class GpuSlots {
 public:
  // MEMORY must outlive this. Where it reads no GPU, every request is granted without any, unless
  // it shows only the GPUs that CHOSEN names.
  explicit GpuSlots(system::GpuMemory& memory, std::string chosen = "")
      : memory_(memory), chosen_(std::move(chosen)) {}

  struct Answer {
    bool granted = false;  // HOLDER has them: see held()
    std::string dirty;     // not granted, because of memory used by others: a sentence
    bool missing = false;  // `dirty` says so: chosen GPUs do not answer
  };
  // Requests COUNT GPUs for HOLDER, the id of a stage.
  Answer ask(const std::string& holder, std::size_t count);
  // HOLDER already uses GPUS: an adopted attempt.
  void hold(const std::string& holder, const std::vector<int>& gpus);
  // Empty where no GPU is visible.
  std::vector<int> held(const std::string& holder) const;
  void give_back(const std::string& holder) { held_.erase(holder); }

 private:
  // Why GPU cannot be assigned; empty when it can.
  std::string unclean(const system::GpuUse& gpu) const;

  system::GpuMemory& memory_;
  std::string chosen_;
  std::map<std::string, std::vector<int>> held_;
  std::map<int, double> least_gib_;  // the lowest use ever read: memory that the driver keeps
};

}  // namespace orch::schedule
