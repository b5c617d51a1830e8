// The ranks of a server that is divided among nodes. Each is a launch like that of a job, with an
// agent of its own on its node; the folder `ranks` of the attempt is their store, and the agent of
// the job takes the orchestrator's part there. So a rank that no longer hears of it ends itself.
// The death of one rank makes Slurm kill all processes of their step, agents too: what they leave
// on a node is removed by its keeper, which belongs to another step.
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

// What the scheduler asks of a server on this machine, answered for a server of a job: its agent
// does the work on its node.

// Servers of jobs: an agent asks them on their node, and reports by a file.
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
  std::map<std::string, Error> unasked_;       // servers whose agents cannot be asked
  std::map<std::string, double> next_look_s_;  // for a report, by token
};

// Ports of nodes, which an agent chooses: each is number 0 until then.
class JobPorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override;
  Result<system::PortLease> take(int port) override;
  Result<system::PortLease> retake(int port) override;
};

// srun, or mpirun where PLACE says so, and the words that start RANKS on the nodes of a job.
std::vector<std::string> starting_words(const execute::Place& place, const ranks::MpiRanks& ranks);

class ServerRanks {
 public:
  // What starts agents on the nodes of this job.
  struct With {
    system::Files& files;
    std::string folder;                              // of the server's attempt
    std::string program;                             // the orchestrate binary
    std::map<std::string, std::string> environment;  // of this job
  };
  // Writes the launches of the ranks that SERVER, one launch of mpirun, stands for.
  static Result<ServerRanks> divide(const With& with, const execute::Launch& server);
  // Those that an agent has started for the attempt with FOLDER; none: it has not divided it.
  static ServerRanks of(system::Files& files, const std::string& folder);
  // The number of this process among the ranks, where it serves the batch with FOLDER as one.
  static std::optional<int> rank_of(const std::map<std::string, std::string>& environment,
                                    const std::string& folder);

  // The launch that starts all ranks, and ends when they have ended.
  const execute::Launch& starter() const { return starter_; }
  // The launch of a keeper on each node.
  const execute::Launch& keepers() const { return keepers_; }
  // Says that the agent of the job lives.
  void beat();
  // TERM or KILL for the tree of each rank.
  void signal(int signal);
  // Whether each rank has ended and cleaned up, or will never begin.
  bool have_ended();
  // Adds to ENDED, of the starter, what the ranks have used. Unless they were TOLD to end: also why
  // they did not start, and the status of the one that ended by itself.
  void add_to(execute::Ended& ended, bool told);

  // Whether FOLDER is that of the batch of keepers.
  static bool is_of_keepers(const std::string& folder);
  // Serves as the keeper of the node with ENVIRONMENT, for the attempt with FOLDER, until no rank
  // is left on it.
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

// A server of several nodes whose ranks run in containers that srun starts. No agent of ours can
// run in an image, so one step of Slurm holds all ranks, and is ended by its name wherever they
// are.

// The launch that starts the ranks of SERVER and ends when they have ended. Writes what each of
// them runs into the folder `ranks` of the attempt, which the containers see at the same path.
Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server);

}  // namespace orch::slurm
