// The right to write to a store: a kernel lock on a file, gone with the process that holds it.
// Knows nothing of what the store holds.
#pragma once

#include "base/result.hpp"
#include "store/host.hpp"
#include "system/file_lock.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace orch::store {

// Who holds the right to write, as that process said when it took it.
struct Holder {
  int pid = 0;  // 0: the holder has not written its name yet
  std::string host;
  std::string since;  // UTC, "2025-01-31T12:00:00Z"

  std::string text() const;  // "pid 123 on host a since ..."
};

// Held until destroyed.
class Lock {
 public:
  // Fails with ErrorKind::conflict, naming the holder, when another process has FILE.
  static Result<Lock> take(const Host& host, const std::filesystem::path& file);
  // Who has FILE now; empty when nobody. Takes the lock for an instant, which take() tolerates.
  static std::optional<Holder> holder(system::Files& files, const std::filesystem::path& file);

 private:
  explicit Lock(system::FileLock lock) : lock_(std::move(lock)) {}

  system::FileLock lock_;
};

}  // namespace orch::store
