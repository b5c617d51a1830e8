// Writes runs of a store into a bundle: their facts, complete in themselves, and the records of
// their measurements. Outputs of tasks, logs and processes stay where they are.
#pragma once

#include "results/keep/bundle.hpp"
#include "results/store/store.hpp"

namespace orch::keep {

struct ExportReport {
  std::size_t runs = 0, measurements = 0;
  std::vector<std::string> notices;  // what was left out, and why
};

// EXPERIMENTS empty: all. Runs whose measurements points of these experiments reuse come along.
// FOLDER is made; what an earlier export left there stays and is not written again. Errors:
// not_found for an experiment that the store does not have.
Result<ExportReport> export_runs(store::Store& store, const std::string& folder,
                                 const std::vector<std::string>& experiments);

}  // namespace orch::keep
