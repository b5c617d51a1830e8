// The identity of a file's content without reading it: the key under which digests are cached.
#pragma once

#include "core/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>

namespace orch::system {

struct FileStamp {
  std::string path;  // absolute
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::int64_t inode = 0;

  auto operator<=>(const FileStamp&) const = default;
  // Follows links. Error: the file cannot be reached.
  static Result<FileStamp> of(const std::string& path);
  // Whether every change at WALL_S (seconds since the epoch) or later changes the stamp. A recent
  // stamp is not settled: the clock of a file system advances in steps of milliseconds.
  bool is_settled(double wall_s) const;
};

}  // namespace orch::system
