// The ranks of a server that is divided among nodes. Each rank is a launch like that of a job, with
// its own agent on its node; the folder `ranks` of the attempt is their store, and the job's agent
// acts as the orchestrator there: a rank that no longer hears from it ends itself. When one rank
// dies, Slurm kills all processes of the ranks' step, including the ranks' agents. What these leave
// on a node is removed by the node's keeper, which belongs to another step.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/readiness.hpp"
#include "run/slurm/job_files.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

// Readiness and ports of servers in jobs: the agent of a server does the work on its node.

// The agent of each server probes it on its node, and reports through a file.
class JobReadiness final : public attempt::Readiness {
 public:
  JobReadiness(OrchestratorFiles files, system::Clock& clock)
      : files_(std::move(files)), clock_(clock) {}
  void watch(const std::string& token, const attempt::Probe& probe) override;
  attempt::HealthReport report(const std::string& token) override;
  void forget(const std::string& token) override;

 private:
  OrchestratorFiles files_;
  system::Clock& clock_;
  std::map<std::string, Error> unasked_;       // servers whose probes could not be written
  std::map<std::string, double> next_look_s_;  // when to look for a report, by token
};

// Ports that an agent chooses on its node: their numbers are 0 here. Pinned ports keep theirs.
class JobPorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override;
  Result<system::PortLease> take(int port) override {
    return system::PortLease(port, system::Descriptor());
  }
  Result<system::PortLease> retake(int port) override { return take(port); }
};

class ServerRanks {
 public:
  // What is needed to start agents on the nodes of this job.
  struct With {
    system::Files& files;
    std::string folder;                              // of the server's attempt
    std::string program;                             // the orchestrate binary
    std::map<std::string, std::string> environment;  // of this job
  };
  // Writes the launches of the ranks that SERVER, a launch of mpirun, would start.
  static Result<ServerRanks> divide(const With& with, const execute::Launch& server);
  // The ranks that an agent has started for the attempt with FOLDER; none if the attempt is not
  // divided.
  static ServerRanks of(system::Files& files, const std::string& folder);
  // The rank of this process; nullopt unless it serves the batch with FOLDER as a rank.
  static std::optional<int> rank_of(const std::map<std::string, std::string>& environment,
                                    const std::string& folder);

  // The launch that starts all ranks; it ends when they have ended.
  const execute::Launch& starter() const { return starter_; }
  // The launch that starts one keeper on each node.
  const execute::Launch& keepers() const { return keepers_; }
  // Shows the ranks that the job's agent is alive.
  void beat();
  // Sends TERM or KILL to the tree of each rank.
  void signal(int signal);
  // Whether each rank has ended and cleaned up. Gives up ranks that have not begun: these count as
  // ended.
  bool have_ended();
  // Adds the ranks' resource usage to ENDED, the end of the starter. Unless the ranks were TOLD to
  // end, also adds why ranks did not start, and the status of the first rank that ended by itself.
  void add_to(execute::Ended& ended, bool told);

  // Whether FOLDER is that of a batch of keepers.
  static bool is_of_keepers(const std::string& folder);
  // Serves as the keeper of the node with ENVIRONMENT, for the attempt with FOLDER, until no rank
  // is left on the node.
  static int keep(const system::Host& host, const std::map<std::string, std::string>& environment,
                  const std::string& folder);

 private:
  ServerRanks(system::Files& files, const std::string& folder) : files_(files, folder + "/ranks") {}

  OrchestratorFiles files_;  // of the ranks
  bool has_ended(const std::string& token);
  execute::Launch launch_by(std::vector<std::string> words, const std::string& batch,
                            const execute::Launch& server) const;

  std::vector<std::string> tokens_;  // by rank
  execute::Launch starter_, keepers_;
  std::uint64_t beats_ = 0;
};

// A server on several nodes whose ranks run in containers started by srun. Our agents cannot run in
// an image, so one Slurm step holds all ranks and is ended by its name on all nodes.

// The launch that starts the ranks of SERVER; it ends when they have ended. Writes each rank's
// command into the folder `ranks` of the attempt, which the containers see at the same path.
Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server);

}  // namespace orch::slurm
