// What the files of a store are for: outputs, records, logs and folders of attempts, each with the
// reason why it is or is not needed. Removes nothing.
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
  measurement,  // its record and its rows
  log,          // of an attempt
  work,         // the folder of a failed attempt, kept for inspection
  rest,         // left over from an interrupted removal
};

constexpr auto names_of(Tag<Kind>) {
  return value_names("output", "measurement", "log", "folder of an attempt", "rest");
}

struct Item {
  Kind kind = Kind::output;
  std::string path;        // below the store
  std::string token;       // of the attempt that produced an output or measurement
  bool is_output = false;  // the database lists its files, so their removal can be recorded
  std::uint64_t bytes = 0;
  bool is_needed = false;
  std::string why;
  double used_at = 0;  // when a run last planned its stage
  bool may_be_evicted =
      false;  // a needed output that nothing waits for and that can be produced again
};

struct InventoryOptions {
  std::string
      keep;  // SQL over results_all: points whose outputs stay; "": only those that are needed
};

// Ordered by path. Errors: the database cannot be read, or KEEP is not SQL over results_all.
Result<std::vector<Item>> inventory(store::Store& store, system::Files& files,
                                    const InventoryOptions& options);

// Marks needed outputs of ITEMS as not needed, least recently used first, until all outputs
// together have at most MOST bytes or nothing more may be evicted.
void evict(std::vector<Item>& items, std::uint64_t most);

// Removes what nothing needs from a store. A removal is recorded in the database before it begins,
// so that an interrupted one only leaves files for the next to remove.

struct Collected {
  std::size_t items = 0;
  std::uint64_t bytes = 0;
  Errors errors;                                          // about items that could not be removed
  std::uint64_t database_before = 0, database_after = 0;  // bytes of results.db
};

// Removes the ITEMS that are not needed. STORE must be open for writing, so that no run uses it. On
// error the database could not be written, and nothing was removed afterwards.
Result<Collected> collect(store::Store& store, const std::vector<Item>& items, double now);

// What `forget` hides.
struct ForgottenExperiment {
  std::size_t runs = 0, points = 0,
              measurements = 0;  // measurements that belong to no other experiment
};

// What forget() would hide of EXPERIMENT. Error: not_found, with the nearest name.
Result<ForgottenExperiment> would_forget(sql::Database& database, const std::string& experiment);
// Removes the runs of EXPERIMENT from every view. Their files stay on disk until collect(). Errors:
// those of would_forget(); conflict if one of its attempts has no recorded end.
Result<ForgottenExperiment> forget(store::Store& store, const std::string& experiment, double now);

}  // namespace orch::keep
