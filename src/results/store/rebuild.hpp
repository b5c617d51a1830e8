// Rebuilds the database from the run records and the measurements in artifacts/. The rows are
// written by the same code as the first time.
#pragma once

#include "core/base/result.hpp"
#include "results/store/layout.hpp"
#include "results/tables/statements.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace orch::store {

// What the database of a store knows, for comparison: a rebuilt one must not know less. Private to
// src/results/store.

// A key per run, end of an attempt, output and measurement, with words for a message. Keys are the
// same in another database about the same events.
using Knowledge = std::map<std::string, std::string>;

Result<Knowledge> knowledge_of(tables::Statements& statements);
// What the manifests in artifacts/ tell: the output of an attempt is there.
Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout);

// The words for each entry of WANTED that FOUND lacks.
std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found);

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
