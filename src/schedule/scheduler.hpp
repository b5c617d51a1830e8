// Drives a plan to its end: fills free slots, watches what runs, publishes what ended well, and
// keeps going round what failed. Knows neither SQLite nor signals nor terminals: those are behind
// Journal, Interrupts and Observer.
#pragma once

#include "execute/executor.hpp"
#include "attempt/failure.hpp"
#include "attempt/readiness.hpp"
#include "attempt/workspace.hpp"
#include "plan/plan.hpp"
#include "schedule/adopted.hpp"
#include "schedule/journal.hpp"
#include "system/clock.hpp"
#include "system/gpus.hpp"
#include "system/ports.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orch::schedule {

// How often the user asked us to stop. 1: start nothing more and let what runs end; 2: end it; 3:
// kill it.
class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
};

struct Progress {
  std::size_t total = 0;     // stages that were to be done in this run
  std::size_t finished = 0;  // of them: done, failed, skipped or cancelled
  std::size_t failed = 0;
  struct Running {
    plan::StageId stage;
    State state;
    double for_s = 0;
  };
  std::vector<Running> running;
  double left_s = -1;  // expected; < 0 while nothing is known
};

// Hears of everything, decides nothing. Called from the scheduler's thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
  virtual void on_tick(const Progress& progress) = 0;
};

struct Options {
  std::size_t jobs = 1;    // tasks at a time
  bool fail_fast = false;  // the first failure stops new starts
  int invalid_retries =
      plan::k_prompt_blocks - 1;  // an invalid measurement is made again this often
  attempt::Backoff backoff;       // of failures of the machine and the harness
  double dirty_gpu_s = 60;        // how long memory of a GPU may take to come back
  std::map<std::string, double>
      expected_s;  // stage name -> how long it took before, for the time left
};

// What the scheduler works with; all of it outlives the scheduler.
struct Tools {
  Journal& journal;
  execute::Executor& executor;
  attempt::Workspace& workspace;
  attempt::Readiness& readiness;
  system::Ports& ports;
  system::GpuMemory& gpu_memory;
  system::Clock& clock;
  Interrupts& interrupts;
  std::vector<Observer*> observers;
  std::function<std::string()> make_token;  // unique names for attempts
  std::function<double()> random;           // in [0, 1)
  // Which input of a stage is no longer what its digest says: in words, empty when all are.
  std::function<std::string(const plan::Stage&)> changed_input;
};

struct Outcome {
  bool interrupted = false;
  std::size_t done = 0, reused = 0, failed = 0, skipped = 0, cancelled = 0;
  std::map<std::string, std::size_t> failures_by_class;
};

class Scheduler {
 public:
  // PLAN must outlive this. ADOPTED: what a dead run left; of it this takes what PLAN is to run,
  // and leaves the rest.
  Scheduler(const plan::Plan& plan, Tools tools, Options options, std::vector<Adopted>& adopted);
  ~Scheduler();

  // Until nothing is left to do. An error (the journal cannot be written) ends what runs and is
  // returned.
  Result<Outcome> run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace orch::schedule
