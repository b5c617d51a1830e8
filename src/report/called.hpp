// How a run was called, so that it can be called again. Reads the store.
#pragma once

#include "base/result.hpp"
#include "sql/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::report {

struct Called {
  std::int64_t run = 0;
  std::string matrix_file, folder;  // FOLDER: "" when it is not on record
  std::vector<std::string> words;   // its command line, the program first
};

// Of RUN; without it, of the newest run that did not come to its end and was not taken up by a
// later one of its experiment. Empty: there is none. not_found when there is no such RUN.
Result<std::optional<Called>> read_called(sql::Database& database, std::optional<std::int64_t> run);

}  // namespace orch::report
