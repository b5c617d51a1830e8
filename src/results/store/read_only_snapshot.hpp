// Leaves the folder of a database unchanged by a reader. A reader creates an empty write-ahead log
// and its index where they are missing, and only a connection with write access can remove them:
// the destructor opens one for that purpose. A log with content belongs to a run and stays. Knows
// no table.
#pragma once

#include "os/system/files.hpp"

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
  // The reader's connection must be closed before. Another open connection keeps the files and
  // removes them when it closes.
  ~ReadOnlySnapshot();

 private:
  system::Files* files_;
  std::string database_;  // "": moved from
};

}  // namespace orch::store
