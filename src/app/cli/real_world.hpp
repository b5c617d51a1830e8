// The real implementations for a command: this machine's files, clock, processes, network and
// devices.
#pragma once

#include "app/session/world.hpp"
#include "bench/observe/gpu_window.hpp"
#include "results/store/layout.hpp"
#include "run/schedule/scheduler.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::cli {

// Files and clock, for commands that need nothing else.
store::Host real_host();

// The variables of this process.
std::map<std::string, std::string> real_environment();

// The functions of the GPU driver's library.
observe::GpuSources real_gpu_sources();

class RealWorld {
 public:
  RealWorld();
  RealWorld(const RealWorld&) = delete;
  RealWorld& operator=(const RealWorld&) = delete;

  // The world, which lives as long as this object.
  session::World& operator*() { return world_; }
  session::World* operator->() { return &world_; }

 private:
  system::RealHost host_;
  system::CurlHttp http_;
  system::RealWorkers workers_;
  session::World world_;
};

// The command line of this process, for the run record.

std::vector<std::string> own_command_line();
// The absolute path of the working folder; "" if it was deleted.
std::string own_folder();

// Counts SIGINT, SIGTERM and SIGHUP (the terminal was closed), which then do not end the process.

// From construction to destruction these signals are counted instead of ending the process. At most
// one instance exists.
class SignalInterrupts final : public schedule::Interrupts {
 public:
  SignalInterrupts();
  ~SignalInterrupts() override;
  // Prints the effect of each new signal.
  int count() override;

 private:
  int reported_ = 0;
};

// Waits for S seconds or for one of these signals, which does not end the process during the wait.
// Returns whether a signal arrived.
bool wait_for_signal(double s);

}  // namespace orch::cli
