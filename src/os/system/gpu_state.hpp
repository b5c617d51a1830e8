// The state of each NVIDIA GPU at one moment: memory, power, clock, throttling. Knows no
// intervals.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

// A value that the device does not report is empty: a MIG device has memory of its own, but no
// power, clock or utilisation.
struct GpuState {
  int index = 0;     // as in GpuUse
  std::string uuid;  // "GPU-8f3c..." or "MIG-8f3c..."
  std::string model;
  double memory_gib = 0;
  double used_gib = 0;  // including memory of the driver
  // As reported by the driver: on Ampere and later the mean of the last second.
  std::optional<double> power_w;
  // Since the driver was loaded, counted by the device (Volta and later).
  std::optional<double> energy_j;
  std::optional<double> sm_clock_mhz;
  std::optional<double> temperature_c;
  // The share of the driver's last sampling period in which a kernel ran, 0 to 1.
  std::optional<double> busy_share;
  std::optional<std::uint64_t> throttle_reasons;  // bits: throttle_names()
};

// The driver's names of the bits in REASONS, without their prefix: "sw_power_cap". An idle GPU is
// not throttled: its bit has no name here.
std::vector<std::string> throttle_names(std::uint64_t reasons);

class GpuProbe {
 public:
  virtual ~GpuProbe() = default;
  // Every GPU that reports its memory, or each MIG device of a split GPU, by index. Empty: no
  // library, no driver, or no GPU. Takes a few milliseconds. One thread at a time.
  virtual std::vector<GpuState> read() = 0;
};

// LIBRARY is a name or path for dlopen. Used from one thread.
class RealGpuProbe final : public GpuProbe {
 public:
  explicit RealGpuProbe(const char* library = "libnvidia-ml.so.1");
  ~RealGpuProbe() override;
  std::vector<GpuState> read() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::system
