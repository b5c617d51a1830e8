// What each NVIDIA GPU does at a moment: memory, power, clock, what holds it back. It reads and
// adds nothing up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

// What a device does not tell is empty: a MIG device has memory of its own, but no power, clock or
// utilisation.
struct GpuState {
  int index = 0;     // as GpuUse counts
  std::string uuid;  // "GPU-8f3c..." or "MIG-8f3c..."
  std::string model;
  double memory_gib = 0;
  double used_gib = 0;  // with what the driver keeps for itself
  std::optional<double>
      power_w;  // as the driver says it: of Ampere and later the mean of the last second
  std::optional<double>
      energy_j;  // since the driver was loaded; counted by the device itself (Volta and later)
  std::optional<double> sm_clock_mhz;
  std::optional<double> busy_share;  // of the driver's last sampling period: some kernel ran
  std::optional<std::uint64_t> throttle_reasons;  // bits: throttle_names()
};

// What the bits say, in the driver's words without their prefix: "sw_power_cap". A GPU with nothing
// to do is not throttled, and is not named here.
std::vector<std::string> throttle_names(std::uint64_t reasons);

class GpuProbe {
 public:
  virtual ~GpuProbe() = default;
  // Of every GPU, or MIG device of one that is split, that tells its memory, by index. Empty: no
  // library, no driver, or no GPU.
  virtual std::vector<GpuState> read() = 0;
};

// Used from one thread.
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
