// What the files of a store are for: outputs, records, logs and folders of attempts, each with the
// reason why something needs it or nothing does. Removes nothing.
#pragma once

#include "core/base/enum_names.hpp"
#include "results/store/store.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orch::keep {

enum class Kind {
  output,       // of a task: an engine, an environment, prompts
  measurement,  // its record and its rows
  log,          // of an attempt
  work,         // the folder of a failed attempt, kept for inspection
  rest,         // of a removal that was interrupted
};

constexpr auto names_of(Tag<Kind>) {
  return value_names("output", "measurement", "log", "folder of an attempt", "rest");
}

struct Item {
  Kind kind = Kind::output;
  std::string path;        // below the store
  std::string token;       // of the attempt, of an output or a measurement
  bool is_output = false;  // the database lists its files: their removal can be recorded
  std::uint64_t bytes = 0;
  bool is_needed = false;
  std::string why;
  double used_at = 0;           // when a run last planned its stage
  bool may_be_evicted = false;  // a needed output that nothing waits for: it can be made again
};

struct InventoryOptions {
  std::string keep;  // SQL over results_all: points whose outputs stay; "": none beside the needed
};

// By path. An error: the database cannot be read, or KEEP is no SQL over results_all.
Result<std::vector<Item>> inventory(store::Store& store, system::Files& files,
                                    const InventoryOptions& options);

// Marks needed outputs of ITEMS as not needed, those first that were not used for longest, until
// all outputs together have at most MOST bytes or nothing more may be evicted.
void evict(std::vector<Item>& items, std::uint64_t most);

// Removes from a store what nothing needs. The database knows of a removal before it begins, so
// that one that is interrupted leaves at most files that the next one removes.

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
