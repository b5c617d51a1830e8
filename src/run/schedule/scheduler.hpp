// Drives a plan to its end: starts stages, watches their processes, publishes outputs, and handles
// failures. SQLite, signals and terminals are behind Journal, Interrupts and Observer.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/gpus.hpp"
#include "os/system/ports.hpp"
#include "os/system/work/long_work.hpp"
#include "plan/graph/plan.hpp"
#include "plan/resources/ledger.hpp"
#include "run/attempt/attempt_folders.hpp"
#include "run/attempt/failure.hpp"
#include "run/attempt/readiness.hpp"
#include "run/execute/executor.hpp"
#include "run/schedule/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::schedule {

// How often the user has asked the run to stop. 1: start no more processes; 2: end running
// processes; 3: kill them.
class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
};

struct Progress {
  std::size_t total = 0;     // stages that this run has to do
  std::size_t finished = 0;  // done or failed
  std::size_t left_out = 0;  // skipped or cancelled
  std::size_t failed = 0;
  struct Running {
    plan::StageId stage;
    State state;
    double for_s = 0;
    // Bytes of its files that have been laid out or checked, and their total; 0: nothing to show.
    std::uint64_t done_bytes = 0, expected_bytes = 0;
    std::string where = {};  // see execute::Executor::whereabouts()
  };
  std::vector<Running> running = {};
  double left_s = -1;  // expected seconds to the end; negative while unknown
};

// Called for every event, from the scheduler's thread. Cannot influence the run.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
  virtual void on_tick(const Progress& progress) = 0;
};

struct Options {
  std::size_t jobs = 1;            // tasks at a time
  bool fail_fast = false;          // a failure prevents further starts
  int invalid_retries = 2;         // repeats of an invalid measurement
  attempt::Backoff backoff;        // between retries of harness failures
  resources::Inventory inventory;  // of this host
  std::string chosen_gpus;         // the only GPUs that may be used, for messages; "": all
  double dirty_gpu_s = 60;         // how long the memory of an unused GPU may take to become free
  // Removes outputs of `passing` stages that are no longer needed.
  bool removes_outputs = false;
  std::set<plan::StageId> given_up;  // stages that an earlier round of this run could not make
  // Stage name -> seconds in earlier runs, to estimate the remaining time.
  std::map<std::string, double> expected_s;
};

// The scheduler's interface to facts from outside the plan.
class Environment {
 public:
  virtual ~Environment() = default;
  // A unique name for an attempt.
  virtual std::string new_token() = 0;
  // A random number in [0, 1).
  virtual double random() = 0;
  // Which input of STAGE has changed since its digest was computed, as a sentence; "" if none has.
  virtual std::string changed_input(const plan::Stage& stage) = 0;
  // Fails if STAGE, which has a version, may not start because its program reports another version
  // than the planned one; ErrorKind::interrupted if WORK is stopped. Called from other threads.
  virtual Status check_version(const plan::Stage& stage, const system::LongWork& work) = 0;
};

// The scheduler's access to the host. Borrows everything.
struct HostTools {
  system::Clock& clock;
  system::Workers& workers;
  system::Ports& ports;
  system::GpuMemory& gpu_memory;
};

// The scheduler's dependencies, all of which must outlive it.
struct Tools {
  Journal& journal;
  execute::Executor& executor;
  attempt::AttemptFolders& workspace;
  attempt::Readiness& readiness;
  Interrupts& interrupts;
  Environment& environment;
  HostTools host;
  std::vector<Observer*> observers = {};
};

struct Outcome {
  bool interrupted = false;
  std::size_t done = 0, reused = 0, failed = 0, skipped = 0, cancelled = 0;
  std::map<std::string, std::size_t> failures_by_class;
};

// Drives PLAN until nothing is left to do. If the journal cannot be written, returns the error and
// kills all running processes, unless another run has taken them over. ADOPTED are processes that a
// dead run left: those of stages that PLAN runs are continued and removed from ADOPTED.
Result<Outcome> run_plan(const plan::Plan& plan, Tools tools, Options options,
                         std::vector<Adopted>& adopted);

}  // namespace orch::schedule
