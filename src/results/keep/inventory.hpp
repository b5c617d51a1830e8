// Lists the files of a store: outputs, records, logs and folders of attempts, each with the reason
// why it is or is not needed.
#pragma once

#include "core/base/enum_names.hpp"
#include "results/store/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::keep {

enum class Kind {
  output,       // of a task: an engine, an environment, prompts
  measurement,  // its record, and its rows in the database
  log,          // of an attempt
  work,         // the folder of a failed attempt, kept for inspection
  rest,         // left by an interrupted removal, or found damaged
};

constexpr auto names_of(Tag<Kind>) {
  return value_names("output", "measurement", "log", "folder of an attempt", "rest");
}

struct Item {
  Kind kind = Kind::output;
  std::string path;        // below the store
  std::string token = {};  // of the attempt that produced an output or measurement
  bool is_output = false;  // the database lists its files, so their removal can be recorded
  std::uint64_t bytes = 0;
  bool is_needed = false;
  std::string why = {};
  double used_at = 0;  // when a run last planned its stage
  bool may_be_evicted =
      false;  // it is a needed output for which nothing waits and which can be produced again
};

struct InventoryOptions {
  std::string
      keep;  // SQL over results_all: points whose outputs stay; "": only those that are needed
};

// Sorted by path. Errors: the database cannot be read, or OPTIONS.keep is not SQL over results_all.
Result<std::vector<Item>> inventory(store::Store& store, system::Files& files,
                                    const InventoryOptions& options);

// Marks needed outputs of ITEMS as not needed, least recently used first, until all outputs
// together have at most MOST bytes or nothing more may be evicted.
void evict(std::vector<Item>& items, std::uint64_t most);

// Removes what nothing needs from a store. A removal is recorded in the database before it begins,
// so an interrupted removal leaves only files, which the next removal deletes.

struct Collected {
  std::size_t items = 0;
  std::uint64_t bytes = 0;
  Errors errors;                                          // about items that could not be removed
  std::uint64_t database_before = 0, database_after = 0;  // bytes of results.db
};

// Removes the ITEMS that are not needed. STORE must be open for writing, so that no run uses it.
// Error: the database could not be written; no further items were removed.
Result<Collected> collect(store::Store& store, const std::vector<Item>& items, double now);

// How much `forget` hides.
struct ForgottenExperiment {
  std::size_t runs = 0, points = 0,
              measurements = 0;  // that no other experiment uses
};

// How much forget() would hide. Error: not_found, with the nearest name.
Result<ForgottenExperiment> would_forget(sql::Database& database, const std::string& experiment);
// Removes the runs of EXPERIMENT from every view. Their files stay on disk until collect(). Errors:
// those of would_forget(); conflict if an attempt of the experiment has no recorded end.
Result<ForgottenExperiment> forget(store::Store& store, const std::string& experiment, double now);

}  // namespace orch::keep
