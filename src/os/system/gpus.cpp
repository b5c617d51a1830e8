#include "os/system/gpus.hpp"

#include "core/base/text.hpp"
#include "os/system/nvml/nvml.hpp"
#include "os/system/topology/pci_node.hpp"

namespace orch::system {

namespace {

// Sets model and memory of GPUS from the devices in `each`.
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

constexpr int k_clock_sm = 1;
constexpr int k_sensor_gpu = 0;

struct Utilisation {
  unsigned gpu, memory;  // per cent
};

struct ThrottleName {
  std::uint64_t bit;
  const char* name;
};
// The bit 0x1, an idle GPU, is left out.
constexpr ThrottleName k_throttle_names[] = {
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

// The value of FUNCTION for DEVICE, read as a Raw, times UNIT.
template <class Raw>
std::optional<double> number(Nvml& nvml, const char* function, Nvml::Device device, double unit) {
  Raw raw{};
  if (!nvml.call(function, device, &raw)) return std::nullopt;
  return static_cast<double>(raw) * unit;
}

std::optional<std::uint64_t> throttle_reasons(Nvml& nvml, Nvml::Device device) {
  unsigned long long reasons = 0;
  // Newer name first; newer drivers drop the older one.
  for (const char* name :
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"})
    if (nvml.call(name, device, &reasons)) return reasons;
  return std::nullopt;
}

GpuState state_of(Nvml& nvml, const Nvml::Seen& seen, const Nvml::Memory& memory) {
  GpuState state{.index = seen.index,
                 .uuid = nvml.uuid(seen.device),
                 .model = nvml.model(seen.device),
                 .memory_gib = memory.total_gib,
                 .used_gib = memory.used_gib,
                 .power_w = number<unsigned>(nvml, "nvmlDeviceGetPowerUsage", seen.device, 1e-3),
                 .energy_j = number<unsigned long long>(nvml, "nvmlDeviceGetTotalEnergyConsumption",
                                                        seen.device, 1e-3),
                 .throttle_reasons = throttle_reasons(nvml, seen.device)};
  if (unsigned mhz = 0; nvml.call("nvmlDeviceGetClockInfo", seen.device, k_clock_sm, &mhz))
    state.sm_clock_mhz = mhz;
  if (unsigned degrees = 0;
      nvml.call("nvmlDeviceGetTemperature", seen.device, k_sensor_gpu, &degrees))
    state.temperature_c = degrees;
  if (Utilisation busy{}; nvml.call("nvmlDeviceGetUtilizationRates", seen.device, &busy))
    state.busy_share = busy.gpu / 100.0;
  return state;
}

}  // namespace

std::optional<Gpus> detect_gpus(const char* library) {
  Nvml nvml(library);
  unsigned count = 0;
  if (!nvml.has_started() || !nvml.call("nvmlDeviceGetCount_v2", &count) || count == 0)
    return std::nullopt;
  const auto devices = nvml.devices();
  Gpus gpus{.count = static_cast<int>(nvml.is_split() ? devices.size() : count),
            .memory_gib = 0,
            .mig = nvml.is_split() ? "on" : "",
            .driver = nvml.driver()};
  nvml.call("nvmlSystemGetCudaDriverVersion_v2", &gpus.cuda);
  for (const auto& [index, device] : devices) {
    const auto memory = nvml.memory(device);
    gpus.each.push_back({.index = index,
                         .uuid = nvml.uuid(device),
                         .model = nvml.model(device),
                         .memory_gib = memory ? memory->total_gib : 0,
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
  std::map<int, std::string> chosen;  // index -> the id that selected it
  for (const std::string& id : ids) {
    std::vector<const Gpu*> found;
    for (const Gpu& gpu : gpus.each)
      if (is_named(gpu, id)) found.push_back(&gpu);
    if (found.size() != 1)
      return Error{ErrorKind::not_found,
                   fmt::format("{} GPU matches {}; the machine has {}",
                               found.empty() ? "no" : "more than one", quoted(id),
                               gpus.each.empty() ? "none that answers" : ids_of(gpus))};
    const auto [known, is_new] = chosen.emplace(found.front()->index, id);
    if (!is_new)
      return invalid(fmt::format("{} and {} name the same GPU; name it only once",
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

RealGpuMemory::RealGpuMemory(const char* library) : nvml_(std::make_unique<Nvml>(library)) {}
RealGpuMemory::~RealGpuMemory() = default;

std::vector<GpuUse> RealGpuMemory::read() {
  std::vector<GpuUse> uses;
  if (!nvml_->has_started()) return uses;
  for (const auto& [index, device] : nvml_->devices())
    if (const auto memory = nvml_->memory(device))
      uses.push_back({.index = index,
                      .uuid = nvml_->uuid(device),
                      .by_uuid = nvml_->is_split(),
                      .memory_gib = memory->total_gib,
                      .used_gib = memory->used_gib,
                      .pids = nvml_->processes(device)});
  return uses;
}

std::vector<std::string> throttle_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const ThrottleName& each : k_throttle_names)
    if ((reasons & each.bit) != 0) names.emplace_back(each.name);
  return names;
}

RealGpuProbe::RealGpuProbe(const char* library) : nvml_(std::make_unique<Nvml>(library)) {}
RealGpuProbe::~RealGpuProbe() = default;

std::vector<GpuState> RealGpuProbe::read() {
  std::vector<GpuState> states;
  if (!nvml_->has_started()) return states;
  for (const Nvml::Seen& seen : nvml_->devices())
    if (const auto memory = nvml_->memory(seen.device))
      states.push_back(state_of(*nvml_, seen, *memory));
  return states;
}

}  // namespace orch::system
