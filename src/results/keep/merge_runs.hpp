// Adds the runs of a bundle to a store. A run is known by its uid: one that the store has is left
// out, so that merging twice changes nothing. What a bundle says is checked before anything is
// written, and all of it is written or nothing.
#pragma once

#include "results/keep/bundle.hpp"
#include "results/store/store.hpp"

namespace orch::keep {

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
