// Chooses what starts next. Under isolation `strict`, and for measurements that are made alone,
// this run does no other work on this host during a measurement, not even on the files of a stage
// that has ended: such a stage counts as active until its outputs are published, and its folder is
// removed before the next measurement. Tasks go before servers, so that every server finds its
// prompts and no measurement waits for a build. A server may be up while tasks are left if it was
// adopted, or started while a task waited for a retry; these tasks run between its measurements.
#pragma once

#include "run/schedule/launcher.hpp"
#include "run/schedule/outputs/needless_outputs.hpp"
#include "run/schedule/packer.hpp"
#include "run/schedule/services.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace orch::schedule {

// The ready tasks and servers at one moment, in the order in which they should start. A stage that
// cannot start may be set aside alone, or together with all stages that request the same from the
// host.

class StartOrder {
 public:
  // If NEEDLESS is null, no task is held back.
  StartOrder(RunState& run, const NeedlessOutputs* needless) : run_(run), needless_(needless) {}

  // The first stage that is not set aside; for servers, the first that could be measured at once.
  std::optional<Index> next(bool tasks, bool services) const;
  // skip() sets aside only STAGE; block() sets aside all stages of its kind with the same request.
  void skip(Index stage) { skipped_.insert(stage); }
  void block(Index stage) { blocked_.emplace(run_.kind(stage), run_.demands.class_of(stage)); }
  std::size_t skipped() const { return skipped_.size(); }

 private:
  RunState& run_;
  const NeedlessOutputs* needless_;
  std::set<Index> skipped_;
  std::set<std::pair<runner::Kind, Demands::Class>> blocked_;
};

class Dispatcher {
 public:
  Dispatcher(RunState& run, Launcher& launcher, Stopper& stopper, Retries& retries,
             const NeedlessOutputs& needless)
      : run_(run),
        stopper_(stopper),
        needless_(needless),
        starter_(run, launcher, retries),
        packer_(run, starter_, stopper, needless) {}

  // Starts every stage that may start now.
  void start_ready();

 private:
  using Kind = runner::Kind;

  void one_at_a_time();
  // Whether nothing that is under way could let a task start later.
  bool is_stalled() const;
  // Whether a task is ready and not held back.
  bool has_task() const;
  std::size_t active(Kind kind) const { return run_.processes.count(kind); }
  // Stops all servers but one: several may be up because they ran concurrently before the
  // measurements that are made alone, or because they were adopted.
  void keep_one_server();
  Index service_of(Index measurement) const;
  // Starts the measurement STAGE, or stops its server first if that must be restarted: see
  // RunState::why_restarted().
  void measure(Index stage);
  // Moves services that have no measurements left to a final state.
  void drop_unneeded_services();
  // Stops servers that hold GPUs if a task, such as the one that makes their prompts, cannot start
  // and no measurement is ready.
  void free_gpus_for_tasks();
  // If NEEDLESS is null, no task is held back.
  void start_tasks(const NeedlessOutputs* needless);
  // Starts the first server that gets what it needs.
  void start_a_server();

  RunState& run_;
  Stopper& stopper_;
  const NeedlessOutputs& needless_;
  Starter starter_;
  Packer packer_;
};

}  // namespace orch::schedule
