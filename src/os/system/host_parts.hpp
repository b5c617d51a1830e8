// The parts of the host that the program works with, behind interfaces: processes, files, clock.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/files.hpp"
#include "os/system/process.hpp"

namespace orch::system {

// Borrowed: each must outlive every object that receives the host.
struct Host {
  Processes& processes;
  Files& files;
  Clock& clock;
};

// The real parts of the host. All objects of a process share its children: see RealProcesses.
struct RealHost {
  RealProcesses processes;
  RealFiles files;
  RealClock clock;

  Host host() { return {processes, files, clock}; }
};

}  // namespace orch::system
