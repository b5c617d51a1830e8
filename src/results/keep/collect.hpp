// Removes from a store what nothing needs. The database knows of a removal before it begins, so
// that one that is interrupted leaves at most files that the next one removes.
#pragma once

#include "results/keep/inventory.hpp"

namespace orch::keep {

struct Collected {
  std::size_t items = 0;
  std::uint64_t bytes = 0;
  Errors errors;                                          // of items that stay
  std::uint64_t database_before = 0, database_after = 0;  // bytes of results.db
};

// Removes the ITEMS that are not needed. STORE was opened for writing, so that no run uses it. An
// error: the database could not be written, and nothing was removed after it.
Result<Collected> collect(store::Store& store, const std::vector<Item>& items, double now);

// What `forget` hides.
struct ForgottenExperiment {
  std::size_t runs = 0, points = 0, measurements = 0;  // measurements that no other experiment has
};

// What forget() would hide of EXPERIMENT. Errors: not_found, with the nearest name.
Result<ForgottenExperiment> would_forget(sql::Database& database, const std::string& experiment);
// Takes the runs of EXPERIMENT out of every view. What they made stays on disk until collect().
// Errors: those of would_forget(); conflict when one of its attempts has no recorded end.
Result<ForgottenExperiment> forget(store::Store& store, const std::string& experiment, double now);

}  // namespace orch::keep
