#include "os/system/file_stamp.hpp"

#include "os/system/files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace orch::system {

namespace {

constexpr double k_settled_s = 0.1;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Result<FileStamp> FileStamp::of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return io_error("read", path, errno);
  return FileStamp{.path = std::filesystem::absolute(path).lexically_normal().string(),
                   .size = facts.st_size,
                   .mtime_ns = nanoseconds(facts.st_mtim),
                   .ctime_ns = nanoseconds(facts.st_ctim),
                   .inode = static_cast<std::int64_t>(facts.st_ino)};
}

bool FileStamp::is_settled(double wall_s) const {
  return wall_s - static_cast<double>(std::max(mtime_ns, ctime_ns)) / 1e9 >= k_settled_s;
}

}  // namespace orch::system
