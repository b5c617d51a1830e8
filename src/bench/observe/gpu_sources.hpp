// Where the state of the GPUs of this machine comes from. The command line names the driver's
// library, a test a fake.
#pragma once

#include <functional>
#include <memory>

#include "os/system/gpu_state.hpp"
#include "os/system/gpus.hpp"

namespace orch::observe {

// Opened when GPUs are needed. Both or none: without them, this machine is taken to have no GPU.
struct GpuSources {
  std::function<std::unique_ptr<system::GpuMemory>()> open_memory = {};
  std::function<std::unique_ptr<system::GpuProbe>()> open_probe = {};
};

}  // namespace orch::observe
