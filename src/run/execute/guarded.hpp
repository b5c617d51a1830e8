// The executor of this host. Every launch is the child of a guardian, a small process that outlives
// the orchestrator; a guardian runs one launch at a time. Knows nothing of stages.
#pragma once

#include "run/execute/executor.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/host_parts.hpp"

#include <memory>

namespace orch::execute {

struct GuardedOptions {
  std::string program;   // the orchestrate binary: guardians run `PROGRAM guardian`
  std::string folder;    // absolute, exists: where the guardians of one store write their cards
  double grace_s = 120;  // how long a tree outlives its orchestrator
  // A guardian that has not reported the end this long after a request to kill is considered
  // hanging, and is ended with its launch.
  double hangs_s = 30;
  std::optional<system::Containment> containment;  // empty: the strongest that works here
  // Of the diagnostics that a guardian writes beside the log of its launch: see
  // guardian_launch.hpp.
  system::LogLevel log_level = system::LogLevel::off;
  // Guardians do not inherit variables with one of these values, nor those with a secret's name:
  // every process of the user can read their environment, for as long as the run lasts.
  std::vector<std::string> secrets = {};
};

class GuardedExecutor final : public Executor {
 public:
  // Call recover() for all launches of earlier processes before the first start() or poll(). These
  // two, and the destructor, end every guardian of the folder that hangs and that no recover()
  // asked for its launch.
  GuardedExecutor(const system::Host& host, GuardedOptions options);
  // Dismisses idle guardians. Those with a launch wait for the grace period.
  ~GuardedExecutor() override;
  Result<Handle> start(const Launch& launch) override;
  std::vector<Ended> poll(double wait_s) override;
  void wake() override;
  void terminate(const std::string& token) override;
  void kill(const std::string& token) override;
  void hold(const Launch& launch, const std::optional<Handle>& on_record) override;
  Recovered recover(const Launch& launch, const std::optional<Handle>& on_record) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::execute
