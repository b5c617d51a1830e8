// Asks the host for what a stage needs, and starts the stage once it is granted. Chooses nothing.
#pragma once

#include "run/schedule/launcher.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"

#include <vector>

namespace orch::schedule {

class Starter {
 public:
  Starter(RunState& run, Launcher& launcher, Retries& retries)
      : run_(run), launcher_(launcher), retries_(retries) {}

  enum class Answer {
    started,
    busy,  // others hold what it needs
    gone,  // it is no longer ready
  };
  // Starts STAGE, which is ready; a task of a batch with all that can join it.
  Answer start(Index stage, const AttemptKey& session = {});
  // What start() of STAGE would ask the host for.
  resources::Request request_of(Index stage) const;
  // Starts a further server of SERVICE, which has one. False: the host has no room for it.
  bool start_further(Index service);

 private:
  // An answer `started` means that HOLDER has what the stages of BATCH ask for. SESSION: the server
  // that they measure.
  Answer acquire(const std::vector<Index>& batch, const std::string& holder,
                 const AttemptKey& session);
  Answer wait_for_clean_gpus(Index stage, const HostShare::Answer& answer);
  // FIRST, and all ready stages of its name with the same argv, where the manifest says `batch`.
  std::vector<Index> batch_of(Index first) const;
  // No end of another stage could make room for STAGE.
  Answer refuse_for_ever(Index stage);

  RunState& run_;
  Launcher& launcher_;
  Retries& retries_;
  std::size_t holders_ = 0;
};

}  // namespace orch::schedule
