// An mpirun command as ranks that another launcher starts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::ranks {

// The variables that name a launch's folder for shared memory: there the ranks of Open MPI (vader:
// before 5, sm: since) share memory. By default Open MPI derives file names from mpirun's pid,
// which is the same in every PID namespace, and leaves the files behind when it is killed.
inline constexpr const char* k_shm_variables[] = {
    "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
    "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"};

// A rank's number in an argument, as a symbol.
inline constexpr const char* k_rank_name = "mpi:rank";
inline constexpr const char* k_rank_symbol = "{mpi:rank}";

// Used instead of an srun --mpi plugin: mpirun starts the ranks itself.
inline constexpr const char* k_by_mpirun = "mpirun";

struct MpiRanks {
  // Ranks FIRST to LAST run ARGV, with {mpi:rank} in place of each rank's number.
  struct Same {
    int first = 0, last = 0;
    std::vector<std::string> argv;
  };
  int count = 0;
  bool is_bound = true;  // to cores, by the launcher
  std::vector<std::string>
      mpirun;  // the program, and its arguments that are independent of the host
  std::map<std::string, std::string> env;  // variables that mpirun would have set
  std::vector<Same> programs;              // in the order of their ranks
};

bool is_mpirun(const std::string& word);

// The ranks that ARGV starts; arguments before mpirun are kept before each rank. nullopt unless
// ARGV has exactly one mpirun, which starts several ranks with options known here.
std::optional<MpiRanks> mpi_ranks(const std::vector<std::string>& argv);

// The command of rank RANK.
std::vector<std::string> argv_of(const MpiRanks& ranks, int rank);

// The variables that RANKS need on NODES nodes. Those that select a transport within one host are
// omitted for several nodes.
std::map<std::string, std::string> variables_of(const MpiRanks& ranks, int nodes);

// Writes a value as shell text, and a command, in whose arguments {mpi:rank} stands for the number
// of a rank.
struct ShellWriter {
  std::function<std::string(const std::string&)> value;
  std::function<std::string(const std::vector<std::string>&)> command;
};

// The variable that srun sets to the rank's number.
inline constexpr const char* k_rank_variable = "SLURM_PROCID";

// Shell lines that turn a process started by srun into its rank.
std::string shell_lines(const MpiRanks& ranks, int nodes, const ShellWriter& text);

// The srun arguments that start RANKS on NODES nodes, evenly. MPI: the plugin.
std::vector<std::string> srun_words(const MpiRanks& ranks, int nodes, const std::string& mpi);

// The mpirun arguments that start as many processes as RANKS has ranks, on NODES nodes.
std::vector<std::string> mpirun_words(const MpiRanks& ranks, int nodes);

// How a multi-rank server is divided among nodes.

// The available nodes, all alike.
struct Nodes {
  int count = 1;
  int gpus = 0;  // per node; 0: unknown
};

// The fewest of NODES that can hold RANKS ranks with GPUS in total, evenly; 1 if the GPUs of a node
// are unknown; nullopt if even all cannot.
std::optional<int> nodes_for(int ranks, int gpus, const Nodes& nodes);

}  // namespace orch::ranks
