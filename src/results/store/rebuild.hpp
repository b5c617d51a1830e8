// Rebuilds the database from the run records and the measurements in artifacts/. The rows are
// written by the same code as the first time.
#pragma once

#include "core/base/result.hpp"
#include "results/store/host.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orch::store {

struct RebuildOptions {
  // Rebuild even if the records know less than the database and the outputs do.
  bool accept_loss = false;
};

struct RebuildReport {
  std::size_t runs = 0;
  std::string kept_as;               // the path of the replaced database; "" when there was none
  std::vector<std::string> notices;  // one sentence per line that could not be read, or is restored
};

// Restores the records from the database first, where that can be read. Fails with
// ErrorKind::conflict when the store is in use, and with ErrorKind::invalid, naming what would go,
// when the new database would know less than the old one; where that cannot be read, less than the
// outputs in artifacts/ tell. Nothing else changes before the new database is complete.
Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root,
                              const RebuildOptions& options = {});

}  // namespace orch::store
