#include "schedule/gpu_slots.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

// Use above the lowest one that is tolerated, because contexts of the driver come and go.
constexpr double k_tolerance_gib = 0.5;

}  // namespace

std::string GpuSlots::unclean(const system::GpuUse& gpu) const {
  const double above = gpu.used_gib - least_gib_.at(gpu.index);
  if (gpu.pids.empty() && above <= k_tolerance_gib) return "";
  std::vector<std::string> pids;
  for (const int pid : gpu.pids) pids.push_back(fmt::format("pid {}", pid));
  return fmt::format("GPU {}: {:.1f} of {:.1f} GiB are in use by {}", gpu.index, gpu.used_gib,
                     gpu.memory_gib,
                     pids.empty() ? "processes that the driver does not name" : join(pids, ", "));
}

GpuSlots::Answer GpuSlots::ask(const std::string& holder, std::size_t count) {
  const std::vector<system::GpuUse> all = memory_.read();
  if (!chosen_.empty() && all.size() < count)
    return {.granted = false,
            .dirty = fmt::format("only {} of the chosen GPUs ({}) answer, and {} are needed",
                                 all.size(), chosen_, count),
            .missing = true};
  if (all.empty() || count == 0) return {.granted = true, .dirty = {}};
  std::set<int> taken;
  for (const auto& [other, gpus] : held_) taken.insert(gpus.begin(), gpus.end());
  std::vector<int> clean;
  std::vector<std::string> dirty;
  for (const system::GpuUse& gpu : all) {
    const auto least = least_gib_.try_emplace(gpu.index, gpu.used_gib).first;
    least->second = std::min(least->second, gpu.used_gib);
    if (taken.contains(gpu.index)) continue;
    const std::string why = unclean(gpu);
    if (why.empty()) clean.push_back(gpu.index);
    else dirty.push_back(why);
  }
  // At most all: `run` has already rejected plans that need more GPUs than the machine has.
  if (clean.size() < std::min(count, all.size()))
    return {.granted = false, .dirty = join(dirty, "; ")};
  clean.resize(std::min(count, clean.size()));
  held_[holder] = clean;
  return {.granted = true, .dirty = {}};
}

std::vector<int> GpuSlots::held(const std::string& holder) const {
  const auto found = held_.find(holder);
  return found == held_.end() ? std::vector<int>{} : found->second;
}

void GpuSlots::hold(const std::string& holder, const std::vector<int>& gpus) {
  held_[holder] = gpus;
}

}  // namespace orch::schedule
