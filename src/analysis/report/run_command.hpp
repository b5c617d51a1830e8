// The command line of an earlier run, from which it can be resumed. Reads the store.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::report {

struct RunCommand {
  std::int64_t run = 0;
  std::string matrix_file, folder;  // the folder is "" when unknown
  std::vector<std::string> words;   // the command line, the program first
};

// Of RUN, or by default of the newest unfinished run that no later run of its experiment has
// continued. Empty without such a run. Error: not_found when RUN does not exist.
Result<std::optional<RunCommand>> read_run_command(sql::Database& database,
                                                   std::optional<std::int64_t> run);

// WORDS, those of a run, without its choice of points and what it asked of them.
std::vector<std::string> without_choice(const std::vector<std::string>& words);

}  // namespace orch::report
