// A VFS of SQLite whose files are on a model disk. There is one at a time, as the default VFS.
#pragma once

#include "results/store/power/disk.hpp"

namespace orch::power {

// While it exists, SQLite's files below the root of DISK are on it. No connection may be open when
// it is made or destroyed.
class Vfs {
 public:
  explicit Vfs(Disk& disk);
  Vfs(const Vfs&) = delete;
  Vfs& operator=(const Vfs&) = delete;
  ~Vfs();
};

}  // namespace orch::power
