// What an experiment reaches the outside through: files, clocks, processes, HTTP, GPUs and ports.
// The command line makes one from the real implementations, a test from fakes.
#pragma once

#include "run/execute/executor.hpp"
#include "run/execute/guarded.hpp"
#include "results/store/host.hpp"
#include "os/system/gpus.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/http/http.hpp"
#include "os/system/machine.hpp"
#include "os/system/ports.hpp"
#include "os/system/work/workers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace orch::session {

// Borrows everything; what it refers to must outlive it.
struct World {
  system::Files& files;
  system::Clock& clock;
  system::Processes& processes;
  system::Http& http;
  system::Workers& workers;
  std::map<std::string, std::string> environment;  // of this process
  // Made on demand: each costs time, or depends on the site or on the store.
  std::function<system::Machine()> detect_machine;
  std::function<std::unique_ptr<system::GpuMemory>()> open_gpu_memory;
  std::function<std::unique_ptr<system::Ports>(system::PortRange)> open_ports;
  std::function<std::unique_ptr<execute::Executor>(const execute::GuardedOptions&)> make_executor;

  // Processes for another thread than the one that has `processes`.
  std::function<std::unique_ptr<system::Processes>()> open_processes = {};

  store::Host host() const { return {files, clock}; }
};

}  // namespace orch::session
