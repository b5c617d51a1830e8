// The ranks of a server that is divided among nodes. Each is a launch like that of a job, with an
// agent of its own on its node; the folder `ranks` of the attempt is their store, and the agent of
// the job takes the orchestrator's part there. So a rank that no longer hears of it ends itself.
// The death of one rank makes Slurm kill all processes of their step, agents too: what they leave
// on a node is removed by its keeper, which belongs to another step.
#pragma once

#include "run/slurm/job_files.hpp"
#include "spec/ranks/mpi_ranks.hpp"
#include "os/system/host_parts.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::slurm {

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

  JobFiles files_;
  bool has_ended(const std::string& token);
  execute::Launch launch_by(std::vector<std::string> words, const std::string& batch,
                            const execute::Launch& server) const;

  std::vector<std::string> tokens_;  // by rank
  execute::Launch starter_, keepers_;
  std::uint64_t beats_ = 0;
};

}  // namespace orch::slurm
