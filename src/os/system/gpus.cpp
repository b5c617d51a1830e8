#include "os/system/gpus.hpp"

#include "core/base/text.hpp"
#include "os/system/nvml/nvml.hpp"
#include "os/system/topology/pci_node.hpp"

#include <map>
#include <set>

namespace orch::system {

namespace {

// Sets model and memory of GPUS as the devices in `each` have them.
void describe(Gpus& gpus) {
  std::set<std::string> models;
  gpus.model.clear();
  for (const Gpu& gpu : gpus.each)
    if (models.insert(gpu.model).second)
      gpus.model += (gpus.model.empty() ? "" : " + ") + gpu.model;
  gpus.memory_gib = gpus.each.empty() ? 0 : gpus.each.front().memory_gib;
}

bool is_named(const Gpu& gpu, const std::string& id) {
  if (const auto index = to_integer(id)) return gpu.index == *index;
  return gpu.uuid.starts_with(id);
}

std::string ids_of(const Gpus& gpus) {
  std::vector<std::string> ids;
  for (const Gpu& gpu : gpus.each) ids.push_back(fmt::format("{} ({})", gpu.index, gpu.uuid));
  return join(ids, ", ");
}

}  // namespace

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
  nvml.call("nvmlSystemGetCudaDriverVersion_v2", &gpus.cuda);
  for (const auto& [index, device] : devices) {
    Nvml::Memory memory{};
    const bool answers = nvml.call("nvmlDeviceGetMemoryInfo", device, &memory);
    gpus.each.push_back(
        {.index = index,
         .uuid = nvml.uuid(device),
         .model = nvml.model(device),
         .memory_gib = answers ? static_cast<double>(memory.total) / k_bytes_per_gib : 0,
         .node = node_of_device(nvml.bus_id(device))});
    for (const auto& [other, its_device] : devices)
      if (other != index && nvml.are_linked(device, its_device))
        gpus.each.back().linked.insert(other);
  }
  describe(gpus);
  return gpus;
}

Result<Gpus> part_of(const Gpus& gpus, const std::vector<std::string>& ids) {
  Gpus part = gpus;
  part.each.clear();
  std::map<int, std::string> chosen;  // index -> as it is named
  for (const std::string& id : ids) {
    std::vector<const Gpu*> found;
    for (const Gpu& gpu : gpus.each)
      if (is_named(gpu, id)) found.push_back(&gpu);
    if (found.size() != 1)
      return Error{
          ErrorKind::not_found,
          fmt::format("{} GPU is {}; the machine has {}", found.empty() ? "no" : "more than one",
                      quoted(id), gpus.each.empty() ? "none that answers" : ids_of(gpus)),
          {}};
    const auto [known, is_new] = chosen.emplace(found.front()->index, id);
    if (!is_new)
      return invalid(fmt::format("{} and {} name the same GPU; name each once",
                                 quoted(known->second), quoted(id)));
  }
  for (const Gpu& gpu : gpus.each)
    if (chosen.contains(gpu.index)) part.each.push_back(gpu);
  part.count = static_cast<int>(part.each.size());
  describe(part);
  return part;
}

std::vector<GpuUse> ChosenGpuMemory::read() {
  std::vector<GpuUse> uses = all_->read();
  std::erase_if(uses, [&](const GpuUse& use) { return !indices_.contains(use.index); });
  return uses;
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
