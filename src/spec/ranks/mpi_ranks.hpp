// A command of mpirun as ranks that another launcher starts. Pure: knows no plan and no launcher.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::ranks {

// The variables that name the folder for shared memory of a launch. They tell Open MPI (vader:
// before 5, sm: since) where its ranks share memory. By default it derives file names from mpirun's
// pid, which is the same in every PID namespace, and leaves the files behind when it is killed.
inline constexpr const char* k_shm_variables[] = {
    "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
    "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"};

// The number of a rank in a word, as a symbol.
inline constexpr const char* k_rank_name = "mpi:rank";
inline constexpr const char* k_rank_symbol = "{mpi:rank}";

// In place of a plugin of srun --mpi: mpirun starts the ranks itself.
inline constexpr const char* k_by_mpirun = "mpirun";

struct MpiRanks {
  // Ranks FIRST to LAST run ARGV, with {mpi:rank} where their words have their number.
  struct Same {
    int first = 0, last = 0;
    std::vector<std::string> argv;
  };
  int count = 0;
  bool is_bound = true;                    // to cores, by the launcher
  std::vector<std::string> mpirun;         // the program, and those of its words that fit any host
  std::map<std::string, std::string> env;  // what mpirun would have set
  std::vector<Same> programs;              // in the order of their ranks
};

bool is_mpirun(const std::string& word);

// The ranks that ARGV starts; words in front of mpirun stay in front of each of them. Empty unless
// ARGV has one mpirun, which starts several ranks by options that are known here.
std::optional<MpiRanks> mpi_ranks(const std::vector<std::string>& argv);

// The command of rank RANK.
std::vector<std::string> argv_of(const MpiRanks& ranks, int rank);

// The variables that RANKS need on NODES nodes: what picks a transport within one host is left out
// on several.
std::map<std::string, std::string> variables_of(const MpiRanks& ranks, int nodes);

// Shell text of a value, and of a command in whose words {mpi:rank} is the number of a rank.
struct ShellWriter {
  std::function<std::string(const std::string&)> value;
  std::function<std::string(const std::vector<std::string>&)> command;
};

// The variable that srun sets to the number of a rank.
inline constexpr const char* k_rank_variable = "SLURM_PROCID";

// Lines of a shell that become, in a process that srun has started, the rank of that process.
std::string shell_lines(const MpiRanks& ranks, int nodes, const ShellWriter& text);

// The words behind srun that start RANKS on NODES nodes, as many on each. MPI: the plugin.
std::vector<std::string> srun_words(const MpiRanks& ranks, int nodes, const std::string& mpi);

// The words of mpirun that start as many processes, each the command that follows.
std::vector<std::string> mpirun_words(const MpiRanks& ranks, int nodes);

// How a server of several ranks is divided among nodes. Pure: knows no cluster.

// The nodes that there are: all alike.
struct Nodes {
  int count = 1;
  int gpus = 0;  // of each; 0: not known
};

// The fewest of NODES on which RANKS ranks with GPUS in all can be, as many on each; empty: they
// cannot.
std::optional<int> nodes_for(int ranks, int gpus, const Nodes& nodes);

}  // namespace orch::ranks
