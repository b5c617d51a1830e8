// The NVIDIA GPUs of this machine, as the driver's management library (NVML) tells them. Loads the library only when it
// is asked; a machine without it has no GPU that we can see, which is not the same as having none.
#pragma once

#include <optional>
#include <string>

namespace orch::system {

struct Gpus {
  int count = 0;
  std::string model;        // "NVIDIA H100 80GB HBM3"; "A + B" when they are not alike
  double memory_gib = 0;    // of the first one
  std::string mig;          // "on" when the first one is split into MIG devices, else ""
  std::string driver;       // version
};

// LIBRARY is a name or path for dlopen. Empty: no library, no driver, or no GPU.
std::optional<Gpus> detect_gpus(const char* library = "libnvidia-ml.so.1");

}  // namespace orch::system
