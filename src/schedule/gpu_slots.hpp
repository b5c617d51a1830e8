// Which GPUs an attempt may have. A GPU is given out again only when its memory is back: a server's
// port closes, and its process ends, before the driver has freed what it held. Knows no stage.
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
  // MEMORY must outlive this. Without GPUs to be seen nothing is gated, and nobody is given any.
  explicit GpuSlots(system::GpuMemory& memory) : memory_(memory) {}

  struct Answer {
    bool granted = false;  // HOLDER has them now: see held()
    std::string dirty;     // not granted, and nobody of ours holds them: who does, in words
  };
  // COUNT GPUs for HOLDER, the name of an attempt.
  Answer ask(const std::string& holder, std::size_t count);
  // HOLDER has the GPUs already: an attempt that was taken over.
  void hold(const std::string& holder, const std::vector<int>& gpus);
  // Empty where no GPU can be seen.
  std::vector<int> held(const std::string& holder) const;
  void give_back(const std::string& holder) { held_.erase(holder); }

 private:
  // Why GPU cannot be given out; empty when it can.
  std::string unclean(const system::GpuUse& gpu) const;

  system::GpuMemory& memory_;
  std::map<std::string, std::vector<int>> held_;
  std::map<int, double>
      least_gib_;  // the least that was ever seen in use: what the driver keeps for itself
};

}  // namespace orch::schedule
