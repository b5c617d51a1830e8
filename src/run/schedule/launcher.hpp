// Starts the process of an attempt or a batch: describes it, records the intent, and after the
// commit lays out its folders and spawns it. Does not choose what to start.
#pragma once

#include "run/schedule/endings.hpp"
#include "run/schedule/retries.hpp"
#include "run/schedule/run_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace orch::schedule {

// The holder and the server of a process that is to be started.
struct Place {
  std::string holder;       // the name under which RunState::host holds its resources
  AttemptKey session = {};  // for a measurement: the server that it measures
  bool further = false;     // a replica: the stage already has a server
};

class Launcher {
 public:
  Launcher(RunState& run, Endings& endings, Retries& retries)
      : run_(run), endings_(endings), retries_(retries) {}

  // Records the intent of one attempt for each of STAGES, which are `ready` and share a process.
  // The process is spawned after the next commit.
  void start(const std::vector<Index>& stages, const Place& place);

 private:
  // Records that STAGES cannot be started now because of WHY; the retry budget decides whether they
  // are retried.
  void refuse(const std::vector<Index>& stages, const Place& place, const AttemptFailure& why);
  // Why the disk has too little room for STAGES; "" if it has enough, or if its free space is
  // unknown.
  std::string lacks_room(const std::vector<Index>& stages);
  // Describes the process of one attempt for each of STAGES; writes nothing. Fails if there are no
  // free ports.
  Result<ActiveProcess> describe(const std::vector<Index>& stages, const Place& place);
  // What an attempt of STAGE gets from the host.
  resources::Grant grant_of(Index stage, const ActiveProcess& process) const;
  // Leases the ports on which STAGE listens, and adds the ports of the server that it measures.
  Result<attempt::Ports> find_ports(Index stage, ActiveProcess& process);
  Result<attempt::Ports> lease_ports(const plan::Spec& spec,
                                     std::vector<system::PortLease>& leases);
  AttemptIntended intent_of(const ActiveProcess& process, const ActiveProcess::Member& member);
  void launch(const std::string& token);
  // Lays out the folders and checks the version of the stage's program. Runs on another thread.
  std::optional<AttemptFailure> begin(const std::vector<const attempt::Prepared*>& prepared,
                                      system::LongWork& work);
  // Spawns the process TOKEN. UNFIT: why it cannot start.
  void spawn(const std::string& token, const std::optional<AttemptFailure>& unfit);
  AttemptFailure cannot_start(const ActiveProcess& process, const Error& error);
  void launched(ActiveProcess& process, const execute::Handle& handle);

  RunState& run_;
  Endings& endings_;
  Retries& retries_;
};

// Requests what a stage needs from the host, and starts the stage if that is granted. Does not
// choose which stage to start.

class Starter {
 public:
  Starter(RunState& run, Launcher& launcher, Retries& retries)
      : run_(run), launcher_(launcher), retries_(retries) {}

  enum class Answer {
    started,
    busy,  // others hold what the stage needs
    gone,  // the stage is no longer ready
  };
  // Starts STAGE, which is ready; a batch task starts with all tasks that can join it.
  Answer start(Index stage, const AttemptKey& session = {});
  // What start() of STAGE would request from the host.
  resources::Request request_of(Index stage) const;
  // Starts a replica of SERVICE, which has a server. False: the host has no room for it.
  bool start_further(Index service);

 private:
  // Requests what the stages of BATCH need, in the name of HOLDER; `started` means that it was
  // granted. SESSION is the server that they measure.
  Answer acquire(const std::vector<Index>& batch, const std::string& holder,
                 const AttemptKey& session);
  Answer wait_for_clean_gpus(Index stage, const HostShare::Answer& answer);
  // FIRST; if the manifest sets `batch`, also all ready tasks with its name, argv and container.
  std::vector<Index> batch_of(Index first) const;
  // Refuses STAGE: even the end of all other stages would not make room for it.
  Answer refuse_for_ever(Index stage);

  RunState& run_;
  Launcher& launcher_;
  Retries& retries_;
  std::size_t holders_ = 0;
};

}  // namespace orch::schedule
