// The NVIDIA GPUs of this machine, as the driver's management library (NVML) tells them. Loads the
// library only when it is asked; a machine without it has no GPU that we can see, which is not the
// same as having none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::system {

// A GPU that is split counts as its MIG devices, and as none where it has none yet.
struct Gpus {
  int count = 0;
  std::string model;  // "NVIDIA H100 80GB HBM3"; "A + B" when they are not alike; of a MIG device
                      // as the driver calls it
  double memory_gib = 0;  // of the first one
  std::string mig;        // "on" when one is split into MIG devices, else ""
  std::string driver;     // version
};

// LIBRARY is a name or path for dlopen. Empty: no library, no driver, or no GPU.
std::optional<Gpus> detect_gpus(const char* library = "libnvidia-ml.so.1");

// What is in use of one GPU or MIG device now, by whomever.
struct GpuUse {
  int index = 0;  // as the driver counts, whatever CUDA_VISIBLE_DEVICES says; where a GPU is split,
                  // as all devices stand
  std::string uuid;      // "GPU-8f3c..." or "MIG-8f3c...": stays when the numbers change
  bool by_uuid = false;  // CUDA is told of it by its uuid, because some GPU is split
  double memory_gib = 0;
  double used_gib = 0;  // some hundred MiB are the driver's own, also when nobody uses it
  std::vector<int>
      pids;  // of processes that compute on it, sorted. Memory may be held when none is left
};

class GpuMemory {
 public:
  virtual ~GpuMemory() = default;
  // Of every GPU, or MIG device of one that is split, that answers, by index. Empty: no library, no
  // driver, or no GPU.
  virtual std::vector<GpuUse> read() = 0;
};

// Used from one thread. The library stays loaded: to load it takes longer than to ask.
class RealGpuMemory final : public GpuMemory {
 public:
  explicit RealGpuMemory(const char* library = "libnvidia-ml.so.1");
  ~RealGpuMemory() override;
  std::vector<GpuUse> read() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::system
