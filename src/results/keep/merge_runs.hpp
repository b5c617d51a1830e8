// Adds the runs of a bundle to a store. A run is known by its uid: one that the store has is left
// out, so that merging twice changes nothing. What a bundle says is checked before anything is
// written, and all of it is written or nothing.
#pragma once

#include "results/keep/bundle.hpp"
#include "results/store/store.hpp"

namespace orch::keep {

// Writes runs of a store into a bundle: their facts, complete in themselves, and the records of
// their measurements. Outputs of tasks, logs and processes stay where they are.

struct ExportReport {
  std::size_t runs = 0, measurements = 0;
  std::vector<std::string> notices;  // what was left out, and why
};

// EXPERIMENTS empty: all. Runs whose measurements points of these experiments reuse come along.
// FOLDER is made; what an earlier export left there stays and is not written again. Errors:
// not_found for an experiment that the store does not have.
Result<ExportReport> export_runs(store::Store& store, const std::string& folder,
                                 const std::vector<std::string>& experiments);

struct MergeReport {
  std::size_t runs = 0, measurements = 0;
  std::size_t known = 0;  // runs that the store had already
};

struct MergeOptions {
  std::string prefix;  // before the names of experiments
};

// STORE was opened for writing. An error: nothing has changed.
Result<MergeReport> merge(store::Store& store, const std::string& folder,
                          const MergeOptions& options);

}  // namespace orch::keep
