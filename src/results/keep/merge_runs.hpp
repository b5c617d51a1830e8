// Adds the runs of a bundle to a store. Runs are identified by uid: a run that the store already
// has is skipped, so merging twice changes nothing. A bundle is validated before anything is
// written, and merged completely or not at all.
#pragma once

#include "results/keep/bundle.hpp"
#include "results/store/store.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orch::keep {

// Writes runs of a store into a bundle: their facts, which do not depend on other runs, and the
// records of their measurements. Task outputs, logs and processes are not included.

struct ExportReport {
  std::size_t runs = 0, measurements = 0;
  std::vector<std::string> notices;  // what was left out, and why
};

// Exports the runs of EXPERIMENTS (empty: all), and runs whose measurements are reused by points of
// these experiments. Creates FOLDER; objects from an earlier export stay and are not rewritten.
// Error: not_found if one of EXPERIMENTS has no run.
Result<ExportReport> export_runs(store::Store& store, const std::string& folder,
                                 const std::vector<std::string>& experiments);

struct MergeReport {
  std::size_t runs = 0, measurements = 0;
  std::size_t known = 0;  // runs that the store already had
};

struct MergeOptions {
  std::string prefix;  // prepended to the names of experiments
};

// STORE must be open for writing. After an error nothing has changed.
Result<MergeReport> merge(store::Store& store, const std::string& folder,
                          const MergeOptions& options);

}  // namespace orch::keep
