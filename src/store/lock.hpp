// The right to write to a store: a kernel lock on a file, gone with the process that holds it.
// Knows nothing of what the store holds.
#pragma once

#include "base/result.hpp"
#include "system/files.hpp"

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

// Held until destroyed. The descriptor is closed on exec: no child inherits the lock.
class Lock {
 public:
  // Fails with ErrorKind::conflict, naming the holder, when another process has FILE.
  static Result<Lock> take(const std::filesystem::path& file);
  // Who has FILE now; empty when nobody. Takes the lock for an instant, which take() tolerates.
  static std::optional<Holder> holder(const std::filesystem::path& file);

 private:
  explicit Lock(system::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  system::Descriptor descriptor_;
};

}  // namespace orch::store
