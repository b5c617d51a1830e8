// The NVIDIA GPUs of this machine and their memory, as the driver's management library (NVML)
// reports them. The library is loaded at run time; without it no GPU is visible, even if there is
// one.
#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::system {

class Nvml;

// A GPU or MIG device.
struct Gpu {
  int index = 0;     // as in GpuUse
  std::string uuid;  // "GPU-8f3c..." or "MIG-8f3c..."
  std::string model;
  double memory_gib = 0;
  int node = -1;           // the NUMA node that it is attached to; -1: unknown
  std::set<int> linked{};  // indices of the GPUs it can reach over NVLink
};

// A GPU split by MIG counts as its MIG devices, and as none until it has some.
struct Gpus {
  int count = 0;
  std::string model = {};      // the driver's name: "NVIDIA H100 80GB HBM3"; "A + B" if they differ
  double memory_gib = 0;       // of the first GPU
  std::string mig;             // "on" if a GPU is split into MIG devices, otherwise ""
  std::string driver;          // version
  int cuda = 0;                // supported by the driver, 1000 * MAJOR + 10 * MINOR; 0: unknown
  std::vector<Gpu> each = {};  // those that respond, by index
};

// The subset of GPUS that IDS select, by index, UUID or unique UUID prefix. ErrorKind::not_found:
// an id matches none or several; ErrorKind::invalid: two IDS match the same GPU.
Result<Gpus> part_of(const Gpus& gpus, const std::vector<std::string>& ids);

// LIBRARY is a name or path for dlopen. nullopt: no library, no driver, or no GPU.
std::optional<Gpus> detect_gpus(const char* library = "libnvidia-ml.so.1");

// The memory currently in use on one GPU or MIG device, and the processes that use it.
struct GpuUse {
  // The driver's number, regardless of CUDA_VISIBLE_DEVICES; if any GPU is split, the position
  // among all devices.
  int index = 0;
  std::string uuid;      // "GPU-8f3c..." or "MIG-8f3c...": stable when the numbers change
  bool by_uuid = false;  // CUDA must select it by uuid, because some GPU is split
  double memory_gib = 0;
  double used_gib = 0;  // includes several hundred MiB for the driver, even on an idle GPU
  // Processes that compute on it, sorted. Memory may be in use even without any.
  std::vector<int> pids;
};

class GpuMemory {
 public:
  virtual ~GpuMemory() = default;
  // Every GPU that responds, or each MIG device of a split GPU, by index. Empty without a library,
  // a driver or a GPU. One thread at a time.
  virtual std::vector<GpuUse> read() = 0;
};

// Use from one thread. The library stays loaded, because loading takes longer than a query.
class RealGpuMemory final : public GpuMemory {
 public:
  explicit RealGpuMemory(const char* library = "libnvidia-ml.so.1");
  ~RealGpuMemory() override;
  std::vector<GpuUse> read() override;

 private:
  std::unique_ptr<Nvml> nvml_;
};

// Exposes only some GPUs of another source.
class ChosenGpuMemory final : public GpuMemory {
 public:
  ChosenGpuMemory(std::unique_ptr<GpuMemory> all, std::set<int> indices)
      : all_(std::move(all)), indices_(std::move(indices)) {}
  std::vector<GpuUse> read() override;

 private:
  std::unique_ptr<GpuMemory> all_;
  std::set<int> indices_;
};

// The momentary state of each NVIDIA GPU: memory, power, clock, throttling.

// Values that the device does not report are nullopt: a MIG device has its own memory, but no
// power, clock or utilisation.
struct GpuState {
  int index = 0;     // as in GpuUse
  std::string uuid;  // "GPU-8f3c..." or "MIG-8f3c..."
  std::string model;
  double memory_gib = 0;
  double used_gib = 0;  // including the driver's memory
  // As reported by the driver: on Ampere and later the mean of the last second.
  std::optional<double> power_w;
  // Since the driver was loaded, counted by the device (Volta and later).
  std::optional<double> energy_j;
  std::optional<double> sm_clock_mhz = {};
  std::optional<double> temperature_c = {};
  // The fraction of the driver's last sampling period in which a kernel ran, 0 to 1.
  std::optional<double> busy_share = {};
  std::optional<std::uint64_t> throttle_reasons;  // bits: throttle_names()
};

// The driver's names of the bits in REASONS, without their prefix: "sw_power_cap". The bit for an
// idle GPU has no name here, because idling is not throttling.
std::vector<std::string> throttle_names(std::uint64_t reasons);

class GpuProbe {
 public:
  virtual ~GpuProbe() = default;
  // Every GPU that reports its memory, or each MIG device of a split GPU, by index. Empty without a
  // library, a driver or a GPU. Takes a few milliseconds. One thread at a time.
  virtual std::vector<GpuState> read() = 0;
};

// LIBRARY is a name or path for dlopen. Use from one thread.
class RealGpuProbe final : public GpuProbe {
 public:
  explicit RealGpuProbe(const char* library = "libnvidia-ml.so.1");
  ~RealGpuProbe() override;
  std::vector<GpuState> read() override;

 private:
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace orch::system
