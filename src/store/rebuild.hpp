// Rebuilds the database from the run records and the measurements in artifacts/. The rows are
// written by the same code as the first time.
#pragma once

#include "base/result.hpp"
#include "store/host.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orch::store {

struct RebuildReport {
  std::size_t runs = 0;
  std::string kept_as;               // the path of the replaced database; "" when there was none
  std::vector<std::string> notices;  // one sentence per line that could not be read
};

// Fails with ErrorKind::conflict when the store is in use. Nothing changes before the new database
// is complete.
Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root);

}  // namespace orch::store
