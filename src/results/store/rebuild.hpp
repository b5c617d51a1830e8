// Rebuilds the database from the run records and the measurements in artifacts/. Uses the code that
// wrote the rows originally.
#pragma once

#include "core/base/result.hpp"
#include "results/store/layout.hpp"
#include "results/tables/statements.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace orch::store {

// What a store's database contains, for comparison: a rebuilt database must not contain less.
// Private to src/results/store.

// A key for each run, end of an attempt, output, measurement and score, described for messages.
// The keys are equal in every database of the same events.
using Knowledge = std::map<std::string, std::string>;

Result<Knowledge> knowledge_of(tables::Statements& statements);
// The outputs, and the runs from the inbox, whose existence the files in artifacts/ prove.
Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout);

// The descriptions of the keys of WANTED that FOUND lacks.
std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found);

struct RebuildOptions {
  // Rebuild even if the records contain less than the database or the outputs.
  bool accept_loss = false;
};

struct RebuildReport {
  std::size_t runs = 0;
  std::string kept_as = {};          // the path of the replaced database; "" if there was none
  std::vector<std::string> notices;  // sentences about lost lines and restored records
};

// First restores the records from the database, if it can be read. Fails with ErrorKind::conflict
// if the store is in use. Fails with ErrorKind::invalid, naming what would be lost, if the new
// database would contain less than the old one or, if the old one cannot be read, less than the
// outputs in artifacts/. Nothing else changes until the new database is complete.
Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root,
                              const RebuildOptions& options = {});

}  // namespace orch::store
