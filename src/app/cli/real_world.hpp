// The real world of a command: this machine's files, clock, processes, network and devices. The one
// place that makes them.
#pragma once

#include "app/session/world.hpp"
#include "bench/observe/gpu_sources.hpp"
#include "results/store/host.hpp"

#include <map>
#include <string>

namespace orch::cli {

// Only files and clock, for commands that need no more.
store::Host real_host();

// The variables of this process.
std::map<std::string, std::string> real_environment();

// The driver's library.
observe::GpuSources real_gpu_sources();

class RealWorld {
 public:
  RealWorld();
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;

  // Lives as long as this.
  session::World& operator*() { return world_; }
  session::World* operator->() { return &world_; }

 private:
  system::RealHost host_;
  system::CurlHttp http_;
  system::RealWorkers workers_;
  session::World world_;
};

}  // namespace orch::cli
