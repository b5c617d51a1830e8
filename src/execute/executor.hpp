// Who gives us a place to run. An executor starts launches, reports their ends in a batch and ends their trees; it
// knows nothing of stages, digests or the store.
#pragma once

#include "base/result.hpp"
#include "system/process.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::execute {

struct Launch {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // complete
  std::string work;
  std::string log;
  std::string token;                       // marks every process of the tree
};

// What identifies a running launch, also to a later process.
struct Handle {
  system::ProcessId process;
  std::string token;
};

struct Ended {
  std::string token;
  int code = -1;  // -1 when a signal ended it
  int signal = 0;
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
};

// Used from one thread.
class Executor {
 public:
  virtual ~Executor() = default;
  // Starts LAUNCH. An error means that nothing runs.
  virtual Result<Handle> start(const Launch& launch) = 0;
  // Every launch that ended since the last call; waits up to WAIT_S for the first.
  virtual std::vector<Ended> poll(double wait_s) = 0;
  // Asks the whole tree to end (TERM), or ends it (KILL).
  virtual void terminate(const Handle& handle) = 0;
  virtual void kill(const Handle& handle) = 0;
  // Whether no process of the tree is left once its leader has ended. THOROUGH: wherever they went, which costs a look
  // at every process of the host; else those that stayed in the leader's group.
  virtual bool gone(const Handle& handle, bool thorough) = 0;
};

// Starts processes on this host.
class LocalExecutor final : public Executor {
 public:
  // PROCESSES must outlive this.
  explicit LocalExecutor(system::Processes& processes) : processes_(processes) {}
  Result<Handle> start(const Launch& launch) override;
  std::vector<Ended> poll(double wait_s) override;
  void terminate(const Handle& handle) override;
  void kill(const Handle& handle) override;
  bool gone(const Handle& handle, bool thorough) override;

 private:
  system::Processes& processes_;
  std::map<system::ProcessId, std::string> tokens_;
};

}  // namespace orch::execute
