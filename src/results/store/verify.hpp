// The findings of a check of a store: its database, its run records, and the files that it lists.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orch::store {

struct VerifyReport {
  std::vector<std::string> problems;  // one sentence each, with the remedy; at most about 200
  std::vector<std::string> notes;     // no problems, but worth knowing
  std::size_t artifacts = 0, files = 0, measurements = 0;
};

}  // namespace orch::store
