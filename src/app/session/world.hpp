// An experiment's interfaces to the outside: files, clocks, processes, HTTP, GPUs and ports. The
// command line makes one from the real implementations, a test from fakes.
#pragma once

#include "os/system/gpus.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/http/http.hpp"
#include "os/system/machine.hpp"
#include "os/system/ports.hpp"
#include "os/system/work/long_work.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/layout.hpp"
#include "run/execute/executor.hpp"
#include "run/execute/guarded.hpp"
#include "run/schedule/scheduler.hpp"
#include "spec/matrix/matrix.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

// Borrows everything that it refers to.
struct World {
  system::Files& files;
  system::Clock& clock;
  system::Processes& processes;
  system::Http& http;
  system::Workers& workers;
  std::map<std::string, std::string> environment;  // of this process
  // These are created on demand: each takes time, or depends on the site or the store.
  std::function<system::Machine()> detect_machine;
  std::function<std::unique_ptr<system::GpuMemory>()> open_gpu_memory;
  std::function<std::unique_ptr<system::Ports>(system::PortRange)> open_ports;
  std::function<std::unique_ptr<execute::Executor>(const execute::GuardedOptions&)> make_executor;

  // Makes Processes for a thread other than the one that uses `processes`.
  std::function<std::unique_ptr<system::Processes>()> open_processes = {};

  store::Host host() const { return {files, clock}; }
};

// The reports of a run to its user while it is under way. The command line prints them; the code of
// the run does not depend on a terminal.

enum class Severity {
  info,     // progress, such as a revision that was resolved
  note,     // something to read once, such as a slow file system
  warning,  // the matrix may not mean what its author intended
  error,    // a part of the run cannot be done; the rest continues
};

// A plan that is about to be driven. A run has a second round after facts of models have arrived.
struct Round {
  const plan::Plan& plan;
  const matrix::Matrix& matrix;
  std::set<plan::StageId> done;  // stages done by earlier rounds of this run
};

// Its functions are called from the thread that drives the run.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void report(Severity severity, const std::string& text) = 0;
  // Returns an observer of ROUND, never null. The observer is destroyed when the round has ended.
  virtual std::unique_ptr<schedule::Observer> watch(const Round& round) = 0;
  // hashing() reports progress a few times a second while large inputs are hashed; then hashed() is
  // called once.
  virtual void hashing(std::uint64_t done_bytes, std::uint64_t expected_bytes) = 0;
  virtual void hashed() = 0;
};

inline void report_warnings(Reporter& reporter, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) reporter.report(Severity::warning, warning);
}

inline void report_errors(Reporter& reporter, const Errors& errors) {
  for (const Error& error : errors) reporter.report(Severity::error, error.text());
}

}  // namespace orch::session
