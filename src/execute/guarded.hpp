// The executor of this host: every launch has a guardian as its parent, a small process that
// outlives us. A guardian holds one launch at a time, and serves one after the other.
#pragma once

#include "execute/executor.hpp"
#include "execute/host.hpp"

#include <memory>

namespace orch::execute {

struct GuardedOptions {
  std::string program;   // our own binary: guardians are `PROGRAM guardian`
  std::string folder;    // absolute, exists: guardians of one store write down here who they are
  double grace_s = 120;  // how long a tree lives on without an orchestrator
  double hangs_s = 30;   // a guardian that was told to kill and has not told the end by then hangs:
                         // it is ended, too
  std::optional<system::Containment> containment;  // empty: the strongest that works here
};

class GuardedExecutor final : public Executor {
 public:
  // Launches of earlier processes are recovered before the first
  // start() or poll(): these, and the end of this, end guardians of the folder that hang and that
  // nobody asked for.
  GuardedExecutor(const Host& host, GuardedOptions options);
  // Lets idle guardians go. Those that hold something wait out their grace period.
  ~GuardedExecutor() override;
  Result<Handle> start(const Launch& launch) override;
  std::vector<Ended> poll(double wait_s) override;
  void terminate(const std::string& token) override;
  void kill(const std::string& token) override;
  void hold(const Launch& launch, const std::optional<Handle>& on_record) override;
  Recovered recover(const Launch& launch, const std::optional<Handle>& on_record) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::execute
