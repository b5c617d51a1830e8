// The real world of a command: this machine's files, clock, processes, network and devices. The
// only place that creates them.
#pragma once

#include "app/session/world.hpp"
#include "bench/observe/gpu_window.hpp"
#include "results/store/layout.hpp"
#include "run/schedule/scheduler.hpp"

#include <map>
#include <string>
#include <vector>

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

  // The result lives as long as this.
  session::World& operator*() { return world_; }
  session::World* operator->() { return &world_; }

 private:
  system::RealHost host_;
  system::CurlHttp http_;
  system::RealWorkers workers_;
  session::World world_;
};

// The command line and folder of this process, for the record.

std::vector<std::string> own_command_line();
// The working folder, absolute; "" if it was deleted.
std::string own_folder();

// Counts SIGINT, SIGTERM and SIGHUP (the terminal was closed). Does not end the process.

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

// Waits for S seconds or for one of these signals, which then does not end the process. Returns
// whether one arrived. At any other time they keep their effect.
bool wait_for_signal(double s);

}  // namespace orch::cli
