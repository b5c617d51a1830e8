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

// What a store's database knows, for comparison: a rebuilt one must not know less. Private to
// src/results/store.

// A key for each run, end of an attempt, output and measurement, with its description for messages.
// Keys are the same in another database about the same events.
using Knowledge = std::map<std::string, std::string>;

Result<Knowledge> knowledge_of(tables::Statements& statements);
// What the manifests in artifacts/ prove: that an attempt's output exists.
Knowledge knowledge_of_artifacts(system::Files& files, const Layout& layout);

// The descriptions of the entries of WANTED that FOUND lacks.
std::vector<std::string> missing(const Knowledge& wanted, const Knowledge& found);

struct RebuildOptions {
  // Rebuild even if the records know less than the database and the outputs.
  bool accept_loss = false;
};

struct RebuildReport {
  std::size_t runs = 0;
  std::string kept_as;  // the path of the replaced database; "" if there was none
  std::vector<std::string>
      notices;  // one sentence per line that could not be read, or was restored
};

// First restores the records from the database, if it can be read. Fails with ErrorKind::conflict
// if the store is in use, and with ErrorKind::invalid, naming what would be lost, if the new
// database would know less than the old one, or, if that cannot be read, less than the outputs in
// artifacts/. Nothing else changes until the new database is complete.
Result<RebuildReport> rebuild(const Host& host, const std::filesystem::path& root,
                              const RebuildOptions& options = {});

}  // namespace orch::store
