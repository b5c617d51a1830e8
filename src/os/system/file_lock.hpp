// A kernel lock (flock) on a file or a folder, released when it is destroyed or when its process
// ends. Knows nothing of what it protects.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <optional>
#include <string>

namespace orch::system {

// The descriptor is closed on exec: no child inherits the lock.
class FileLock {
 public:
  // The file at PATH is created when absent. Empty: another descriptor holds the lock. Errors: the
  // file cannot be opened, is a link, or its file system has no locks.
  static Result<std::optional<FileLock>> try_file(const std::string& path);
  // The same for a folder, which must exist.
  static Result<std::optional<FileLock>> try_folder(const std::string& path);
  // Takes the lock for an instant to find out. False as well when PATH cannot be opened.
  static bool is_held(const std::string& path);

 private:
  explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  static Result<std::optional<FileLock>> try_open(const std::string& path, int flags);

  Descriptor descriptor_;
};

}  // namespace orch::system
