#include "os/system/gpu_state.hpp"

#include "os/system/nvml/nvml.hpp"

namespace orch::system {

namespace {

constexpr int k_clock_sm = 1;
constexpr int k_sensor_gpu = 0;

struct Utilisation {
  unsigned gpu, memory;  // per cent
};

struct ThrottleName {
  std::uint64_t bit;
  const char* name;
};
// Without 0x1: an idle GPU.
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
  // The newer name first; newer drivers drop the older one.
  for (const char* name :
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"})
    if (nvml.call(name, device, &reasons)) return reasons;
  return std::nullopt;
}

GpuState state_of(Nvml& nvml, const Nvml::Seen& seen, const Nvml::Memory& memory) {
  GpuState state{.index = seen.index,
                 .uuid = nvml.uuid(seen.device),
                 .model = nvml.model(seen.device),
                 .memory_gib = static_cast<double>(memory.total) / k_bytes_per_gib,
                 .used_gib = static_cast<double>(memory.used) / k_bytes_per_gib,
                 .power_w = number<unsigned>(nvml, "nvmlDeviceGetPowerUsage", seen.device, 1e-3),
                 .energy_j = number<unsigned long long>(nvml, "nvmlDeviceGetTotalEnergyConsumption",
                                                        seen.device, 1e-3),
                 .sm_clock_mhz = {},
                 .temperature_c = {},
                 .busy_share = {},
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

std::vector<std::string> throttle_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const ThrottleName& each : k_throttle_names)
    if ((reasons & each.bit) != 0) names.emplace_back(each.name);
  return names;
}

struct RealGpuProbe::Impl {
  explicit Impl(const char* library) : nvml(library), started(nvml.start()) {}

  Nvml nvml;
  bool started;
};

RealGpuProbe::RealGpuProbe(const char* library) : impl_(std::make_unique<Impl>(library)) {}
RealGpuProbe::~RealGpuProbe() = default;

std::vector<GpuState> RealGpuProbe::read() {
  std::vector<GpuState> states;
  if (!impl_->started) return states;
  for (const Nvml::Seen& seen : impl_->nvml.devices()) {
    Nvml::Memory memory{};
    if (impl_->nvml.call("nvmlDeviceGetMemoryInfo", seen.device, &memory))
      states.push_back(state_of(impl_->nvml, seen, memory));
  }
  return states;
}

}  // namespace orch::system
