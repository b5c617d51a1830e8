// A command of mpirun as ranks that another launcher starts. Pure: knows no plan and no launcher.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::script {

// The number of a rank in a word, as a symbol.
inline constexpr const char* k_rank_name = "mpi:rank";
inline constexpr const char* k_rank_symbol = "{mpi:rank}";

struct MpiRanks {
  // Ranks FIRST to LAST run ARGV, with {mpi:rank} where their words have their number.
  struct Same {
    int first = 0, last = 0;
    std::vector<std::string> argv;
  };
  int count = 0;
  bool is_bound = true;                    // to cores, by the launcher
  std::map<std::string, std::string> env;  // what mpirun would have set
  std::vector<Same> programs;              // in the order of their ranks
};

// The ranks that ARGV starts; words in front of mpirun stay in front of each of them. Empty unless
// ARGV has one mpirun, which starts several ranks by options that are known here.
std::optional<MpiRanks> mpi_ranks(const std::vector<std::string>& argv);

}  // namespace orch::script
