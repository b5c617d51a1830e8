// The folder of a database stays as a reader found it. Who reads along makes an empty write-ahead
// log and its index where there are none, and SQLite lets only a connection that may write remove
// them: one that does nothing else, once the reader is gone. A log that holds something is a run's,
// and stays. Knows no table.
#pragma once

#include <string>
#include <utility>

namespace orch::store {

class AsFound {
 public:
  explicit AsFound(std::string database) : database_(std::move(database)) {}
  AsFound(AsFound&& other) noexcept : database_(std::exchange(other.database_, {})) {}
  AsFound& operator=(AsFound&&) = delete;
  // The reader's connection must be closed by now. Somebody else's keeps the files: then they go
  // with that one.
  ~AsFound();

 private:
  std::string database_;  // "": moved away
};

}  // namespace orch::store
