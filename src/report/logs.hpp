// Which log files tell of a stage or a point. Finds them; reads none.
#pragma once

#include "base/result.hpp"
#include "report/names.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orch::report {

struct StageLog {
  std::string stage;
  int attempt = 0;
  std::string state;  // of the attempt, in words: "done", "not ended", "failed: out_of_memory"
  bool over = false;  // the attempt has ended
  std::filesystem::path file;  // may not exist
};

// The log of the newest attempt of a stage. For a point: of its stages that failed, else of all
// that were ever tried, in the order of the manifest; a file that stages share is named once. Not
// one: not_found.
Result<std::vector<StageLog>> logs_of(sql::Database& database, const std::filesystem::path& root,
                                      const Named& named);

}  // namespace orch::report
