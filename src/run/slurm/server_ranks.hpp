// The ranks of a server that is divided among nodes. Each is a launch like that of a job, with its
// own agent on its node; the folder `ranks` of the attempt is their store, and the job's agent acts
// as the orchestrator there. So a rank that no longer hears from it ends itself. When one rank
// dies, Slurm kills all processes of their step, including the agents: what they leave on a node is
// removed by its keeper, which belongs to another step.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/readiness.hpp"
#include "run/slurm/job_files.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

// The scheduler's queries about a server on this machine, answered for a server in a job: its agent
// does the work on its node.

// Readiness of servers in jobs: an agent probes them on their node, and reports through a file.
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
  std::map<std::string, Error> unasked_;       // servers whose agents cannot be queried
  std::map<std::string, double> next_look_s_;  // for a report, by token
};

// Ports of nodes, chosen by an agent: each has number 0 until then.
class JobPorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override;
  Result<system::PortLease> take(int port) override;
  Result<system::PortLease> retake(int port) override;
};

// srun, or mpirun if PLACE requests it, and the arguments that start RANKS on the nodes of a job.
std::vector<std::string> starting_words(const execute::Place& place, const ranks::MpiRanks& ranks);

class ServerRanks {
 public:
  // The means of starting agents on the nodes of this job.
  struct With {
    system::Files& files;
    std::string folder;                              // of the server's attempt
    std::string program;                             // the orchestrate binary
    std::map<std::string, std::string> environment;  // of this job
  };
  // Writes the launches of the ranks that SERVER, one mpirun launch, stands for.
  static Result<ServerRanks> divide(const With& with, const execute::Launch& server);
  // The ranks that an agent has started for the attempt with FOLDER; none if it has not divided it.
  static ServerRanks of(system::Files& files, const std::string& folder);
  // The number of this process among the ranks, if it serves the batch with FOLDER as a rank.
  static std::optional<int> rank_of(const std::map<std::string, std::string>& environment,
                                    const std::string& folder);

  // The launch that starts all ranks; it ends when they have ended.
  const execute::Launch& starter() const { return starter_; }
  // The launch of one keeper on each node.
  const execute::Launch& keepers() const { return keepers_; }
  // Signals that the job's agent is alive.
  void beat();
  // Sends TERM or KILL to the tree of each rank.
  void signal(int signal);
  // Whether each rank has ended and cleaned up, or will never begin.
  bool have_ended();
  // Adds the ranks' resource usage to ENDED, the end of the starter. Unless they were TOLD to end,
  // also why they did not start, and the status of the one that ended by itself.
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

// A server of several nodes whose ranks run in containers started by srun. No agent of ours can run
// in an image, so one step of Slurm holds all ranks and is ended by its name on all nodes.

// The launch that starts the ranks of SERVER and ends when they have ended. Writes each rank's
// command into the folder `ranks` of the attempt, which the containers see at the same path.
Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server);

}  // namespace orch::slurm
