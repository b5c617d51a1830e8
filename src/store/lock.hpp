// The right to write to a store: a kernel lock on a file, released when the process ends. Knows
// nothing of the contents of the store.
#pragma once

#include "base/result.hpp"
#include "store/host.hpp"
#include "system/file_lock.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace orch::store {

// The process that holds the lock, as it described itself when it took it.
struct Holder {
  int pid = 0;  // 0: the holder has not written its description yet
  std::string host;
  std::string since;  // UTC, "2025-01-31T12:00:00Z"

  std::string text() const;  // "pid 123 on host a since ..."
};

// Held until destroyed.
class Lock {
 public:
  // Fails with ErrorKind::conflict, naming the holder, when another process holds the lock on FILE.
  static Result<Lock> take(const Host& host, const std::filesystem::path& file);
  // The current holder; empty when the lock is free. Takes the lock for an instant, which take()
  // tolerates.
  static std::optional<Holder> holder(system::Files& files, const std::filesystem::path& file);

 private:
  explicit Lock(system::FileLock lock) : lock_(std::move(lock)) {}

  system::FileLock lock_;
};

}  // namespace orch::store
