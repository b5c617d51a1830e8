// Chooses what starts next. Isolation `strict`: nothing else of ours works on this host during a
// measurement, not even on the files of a stage that has ended: it counts as active until its
// outputs are published, and its folder is removed before the next measurement. Tasks go before
// servers, so that every server finds its prompts and no measurement waits for a build. An adopted
// server, or one that was started while a task waited for a retry, may be up while tasks are left;
// they run between its measurements.
#pragma once

#include "schedule/launcher.hpp"
#include "schedule/retries.hpp"
#include "schedule/run_state.hpp"
#include "schedule/stopper.hpp"

#include <optional>
#include <vector>

namespace orch::schedule {

class Dispatcher {
 public:
  Dispatcher(RunState& run, Launcher& launcher, Stopper& stopper, Retries& retries)
      : run_(run), launcher_(launcher), stopper_(stopper), retries_(retries) {}

  // Starts every stage that may start now.
  void start_ready();

 private:
  using Kind = runner::Kind;

  std::size_t active(Kind kind) const { return run_.processes.count(kind); }
  // A server that has seen all blocks of prompts is restarted: it may have cached them.
  void measure(Index stage);
  // Moves services without measurements to do to a final state.
  void drop_unneeded_services();
  // Stops an adopted server if a task needs its GPUs, for example the task that makes its prompts.
  void free_gpus_for_tasks();
  // The first of READY that gets its GPUs.
  std::optional<Index> first_with_gpus(const StageQueue::Ready& ready);
  // Whether STAGE holds its GPUs now. It fails when their memory is still in use after
  // Options::dirty_gpu_s.
  bool acquire_gpus(Index stage);
  // FIRST, and all ready stages of its name with the same argv, where the manifest says `batch`.
  std::vector<Index> batch_of(Index first) const;

  RunState& run_;
  Launcher& launcher_;
  Stopper& stopper_;
  Retries& retries_;
};

}  // namespace orch::schedule
