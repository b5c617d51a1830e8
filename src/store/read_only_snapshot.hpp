// The folder of a database stays as a reader found it. Who reads along makes an empty write-ahead
// log and its index where there are none, and SQLite lets only a connection that may write remove
// them: one that does nothing else, once the reader is gone. A log that holds something is a run's,
// and stays. Knows no table.
#pragma once

#include "system/files.hpp"

#include <string>
#include <utility>

namespace orch::store {

class ReadOnlySnapshot {
 public:
  ReadOnlySnapshot(system::Files& files, std::string database)
      : files_(&files), database_(std::move(database)) {}
  ReadOnlySnapshot(ReadOnlySnapshot&& other) noexcept
      : files_(other.files_), database_(std::exchange(other.database_, {})) {}
  ReadOnlySnapshot& operator=(ReadOnlySnapshot&&) = delete;
  // The reader's connection must be closed by now. Somebody else's keeps the files: then they go
  // with that one.
  ~ReadOnlySnapshot();

 private:
  system::Files* files_;
  std::string database_;  // "": moved away
};

}  // namespace orch::store
