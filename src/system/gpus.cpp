#include "system/gpus.hpp"

#include "system/nvml.hpp"

#include <set>

namespace orch::system {

std::optional<Gpus> detect_gpus(const char* library) {
  Nvml nvml(library);
  unsigned count = 0;
  if (!nvml.start() || !nvml.call("nvmlDeviceGetCount_v2", &count) || count == 0)
    return std::nullopt;
  const auto devices = nvml.devices();
  Gpus gpus{.count = static_cast<int>(nvml.is_split() ? devices.size() : count),
            .model = {},
            .memory_gib = 0,
            .mig = nvml.is_split() ? "on" : "",
            .driver = nvml.driver()};
  std::set<std::string> models;
  for (const auto& [index, device] : devices) {
    const std::string model = nvml.model(device);
    if (models.insert(model).second) gpus.model += (gpus.model.empty() ? "" : " + ") + model;
    if (index > 0) continue;
    Nvml::Memory memory{};
    if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory))
      gpus.memory_gib = static_cast<double>(memory.total) / k_bytes_per_gib;
  }
  return gpus;
}

struct RealGpuMemory::Impl {
  explicit Impl(const char* library) : nvml(library), started(nvml.start()) {}

  Nvml nvml;
  bool started;
};

RealGpuMemory::RealGpuMemory(const char* library) : impl_(std::make_unique<Impl>(library)) {}
RealGpuMemory::~RealGpuMemory() = default;

std::vector<GpuUse> RealGpuMemory::read() {
  std::vector<GpuUse> uses;
  Nvml& nvml = impl_->nvml;
  if (!impl_->started) return uses;
  for (const auto& [index, device] : nvml.devices()) {
    Nvml::Memory memory{};
    if (!nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) continue;
    uses.push_back({.index = index,
                    .uuid = nvml.uuid(device),
                    .by_uuid = nvml.is_split(),
                    .memory_gib = static_cast<double>(memory.total) / k_bytes_per_gib,
                    .used_gib = static_cast<double>(memory.used) / k_bytes_per_gib,
                    .pids = nvml.processes(device)});
  }
  return uses;
}

}  // namespace orch::system
