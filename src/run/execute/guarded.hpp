// The executor of the local host. Every launch is the child of a guardian, a small process that
// outlives the orchestrator; a guardian runs one launch at a time.
#pragma once

#include "os/system/diagnostics.hpp"
#include "os/system/host_parts.hpp"
#include "run/execute/executor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::execute {

struct GuardedOptions {
  std::string program;   // the orchestrate binary: guardians run `PROGRAM guardian`
  std::string folder;    // absolute, must exist: where the guardians of one store write their cards
  double grace_s = 120;  // how long a tree outlives its orchestrator
  // A guardian that has not reported the end of its launch this long after a kill request is
  // considered hung, and is ended with the launch.
  double hangs_s = 30;
  std::optional<system::Containment> containment;  // nullopt: the strongest that works here
  // The level of the diagnostics that a guardian writes beside its launch's log: see
  // guardian_launch.hpp.
  system::LogLevel log_level = system::LogLevel::off;
  // Guardians do not inherit variables that have one of these values or a secret's name, because
  // every process of the user can read a guardian's environment throughout the run.
  std::vector<std::string> secrets = {};
};

// Call recover() for all launches of earlier processes before the first start() or poll(): start(),
// poll() and the destructor end every hung guardian of the folder whose launch was not passed to
// recover(). The destructor dismisses idle guardians; the others keep their launches running for
// the grace period.
std::unique_ptr<Executor> make_guarded_executor(const system::Host& host, GuardedOptions options);

}  // namespace orch::execute
