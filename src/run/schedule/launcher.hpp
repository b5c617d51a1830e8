// Starts the process of an attempt or of a batch: describes it, records the intent, and after the
// commit lays out its folders and spawns it. Does not choose what is started.
#pragma once

#include "run/schedule/endings.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orch::schedule {

// Where a process works.
struct Place {
  std::string holder;       // what it holds of the host: a name of RunState::host
  AttemptKey session = {};  // of a measurement: the server that it measures
  bool further = false;     // a further server of a stage that has one
};

class Launcher {
 public:
  Launcher(RunState& run, Endings& endings, Retries& retries)
      : run_(run), endings_(endings), retries_(retries) {}

  // Records the intent of one attempt for each of STAGES, which are `ready` and share a process.
  // The process is spawned after the next commit.
  void start(const std::vector<Index>& stages, const Place& place);

 private:
  // STAGES cannot be started now: the retry budget decides.
  void refuse(const std::vector<Index>& stages, const Place& place, const AttemptFailure& why);
  // Why the disk has too little room for STAGES; "" when it has enough, or does not tell.
  std::string lacks_room(const std::vector<Index>& stages);
  // The attempts of one process; nothing is written yet. An error when there are no free ports.
  Result<ActiveProcess> describe(const std::vector<Index>& stages, const Place& place);
  // What an attempt of STAGE gets of the host.
  resources::Grant grant_of(Index stage, const ActiveProcess& process) const;
  // Leases the ports that STAGE listens on, and adds those of the server that it measures.
  Result<attempt::Ports> find_ports(Index stage, ActiveProcess& process);
  Result<attempt::Ports> lease_ports(const plan::Spec& spec,
                                     std::vector<system::PortLease>& leases);
  AttemptIntended intent_of(const ActiveProcess& process, const ActiveProcess::Member& member);
  void launch(const std::string& token);
  // Lays the folders out, and asks for the version. Done by another thread.
  std::optional<AttemptFailure> begin(const std::vector<const attempt::Prepared*>& prepared,
                                      system::LongWork& work);
  // UNFIT: why it cannot start.
  void spawn(const std::string& token, const std::optional<AttemptFailure>& unfit);
  AttemptFailure cannot_start(const ActiveProcess& process, const Error& error);
  void launched(ActiveProcess& process, const execute::Handle& handle);

  RunState& run_;
  Endings& endings_;
  Retries& retries_;
};

// Asks the host for what a stage needs, and starts the stage once it is granted. Chooses nothing.

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
