// A file's identity without reading it, by which digests are remembered.
#pragma once

#include "base/result.hpp"

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
  // Of the file at PATH, links followed.
  static Result<FileStamp> of(const std::string& path);
  // Whether a file of this stamp cannot change at WALL_S, seconds since the epoch, or later without
  // getting another one: clocks of file systems stand still for some milliseconds.
  bool is_settled(double wall_s) const;
};

}  // namespace orch::system
