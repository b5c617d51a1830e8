#include "os/system/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace orch::system {

Result<std::optional<FileLock>> FileLock::try_open(const std::string& path, int flags) {
  Descriptor descriptor(::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  if (!descriptor && errno == ELOOP) return invalid(fmt::format("{} is a link; remove it", path));
  if (!descriptor) return io_error("open", path, errno);
  while (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<FileLock>();
    if (errno != EINTR) return io_error("lock", path, errno);
  }
  return std::optional(FileLock(std::move(descriptor)));
}

Result<std::optional<FileLock>> FileLock::try_file(const std::string& path) {
  return try_open(path, O_RDWR | O_CREAT);
}

Result<std::optional<FileLock>> FileLock::try_folder(const std::string& path) {
  return try_open(path, O_RDONLY | O_DIRECTORY);
}

bool FileLock::is_held(const std::string& path) {
  const auto taken = try_open(path, O_RDONLY);
  return taken && !*taken;
}

}  // namespace orch::system
