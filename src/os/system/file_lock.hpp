// A kernel lock (flock) on a file or folder, released when it is destroyed or its process ends.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace orch::system {

// The descriptor is closed on exec: no child inherits the lock.
class FileLock {
 public:
  // Creates the file at PATH if it does not exist. nullopt: another descriptor holds the lock.
  // Errors: the file cannot be opened, is a link, or its file system has no locks.
  static Result<std::optional<FileLock>> try_file(const std::string& path);
  // The same for a folder, which must exist.
  static Result<std::optional<FileLock>> try_folder(const std::string& path);
  // Whether PATH is locked: takes the lock for an instant. Also false if PATH cannot be opened.
  static bool is_held(const std::string& path);

 private:
  explicit FileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  static Result<std::optional<FileLock>> try_open(const std::string& path, int flags);

  Descriptor descriptor_;
};

// Identifies a file's content without reading it: the key under which digests are cached.

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
  // stamp is not settled, because a file system's clock advances in steps of milliseconds.
  bool is_settled(double wall_s) const;
};

// The lines of a file of any size, read through Files.

// Reads a block at a time, so memory grows with the longest line, not with the file. Use from one
// thread; FILES must outlive it.
class Lines {
 public:
  // Begins at byte OFFSET. A line of more than LONGEST bytes is an error.
  Lines(Files& files, std::string path, std::uint64_t offset = 0, std::size_t longest = SIZE_MAX)
      : files_(files),
        path_(std::move(path)),
        read_to_(offset),
        position_(offset),
        longest_(longest) {}

  // The next line without its newline; the last one may lack it. False at the end. Errors: those of
  // Files::read_block(); ErrorKind::invalid for a line that is too long.
  Result<bool> next(std::string& line);
  // Whether the last line from next() ended with a newline.
  bool terminated() const { return terminated_; }
  // The byte offset after the last line returned.
  std::uint64_t position() const { return position_; }

 private:
  Error too_long() const;

  Files& files_;
  std::string path_;
  std::string block_;
  std::size_t begin_ = 0;  // in block_, of the text that has not been returned yet
  std::uint64_t read_to_;  // the offset up to which the file has been read
  std::uint64_t position_;
  std::size_t longest_;
  bool terminated_ = false;
};

}  // namespace orch::system
