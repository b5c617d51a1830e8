// The lines of a file of any size, read through Files. Knows nothing of what stands in them.
#pragma once

#include "os/system/files.hpp"

#include <cstdint>
#include <string>

namespace orch::system {

// Reads a block at a time, so that memory grows with the longest line and not with the file.
// Used by one thread; FILES must outlive it.
class Lines {
 public:
  // Begins at OFFSET, in bytes. A line of more than LONGEST bytes is an error.
  Lines(Files& files, std::string path, std::uint64_t offset = 0, std::size_t longest = SIZE_MAX)
      : files_(files),
        path_(std::move(path)),
        read_to_(offset),
        position_(offset),
        longest_(longest) {}

  // The next line without its newline; the last one may lack it. False: there is no further line.
  // Errors: those of Files::read_block(); ErrorKind::invalid for a line that is too long.
  Result<bool> next(std::string& line);
  // Whether the line that next() gave last ended with a newline.
  bool terminated() const { return terminated_; }
  // The offset in bytes up to which lines have been given.
  std::uint64_t position() const { return position_; }

 private:
  Error too_long() const;

  Files& files_;
  std::string path_;
  std::string block_;
  std::size_t begin_ = 0;  // in block_, of what has not been given yet
  std::uint64_t read_to_;  // the offset up to which the file has been read
  std::uint64_t position_;
  std::size_t longest_;
  bool terminated_ = false;
};

}  // namespace orch::system
