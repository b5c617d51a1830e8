// Finds the log files of a stage or a point. Reads none of them.
#pragma once

#include "core/base/result.hpp"
#include "analysis/report/names.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orch::report {

struct StageLog {
  std::string stage;
  int attempt = 0;
  std::string state;           // of the attempt: "done", "not ended", "failed: out_of_memory"
  bool over = false;           // the attempt has ended
  std::filesystem::path file;  // may not exist
};

// The log of the newest attempt of a stage. For a point: of its failed stages, otherwise of all
// attempted stages, in the order of the manifest; a shared file is listed once. Error: not_found
// when nothing was attempted.
Result<std::vector<StageLog>> logs_of(sql::Database& database, const std::filesystem::path& root,
                                      const Named& named);

}  // namespace orch::report
