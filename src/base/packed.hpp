// Text made small (Zstandard frames) and back. Knows nothing of what stands in it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace orch {

// As any program for .zst files reads it.
std::string pack(std::string_view text);

// Errors: not what pack() makes, cut short, or more than MOST bytes; never more memory than that is
// used.
Result<std::string> unpack(std::string_view packed, std::size_t most);

// A packed file of lines, read a piece at a time: it takes as much memory as its longest line,
// however much it holds.
class PackedLines {
 public:
  // Of a line longer than LONGEST only so many bytes are given; more than MOST bytes in all are an
  // error.
  PackedLines(const std::string& path, std::size_t longest, std::size_t most);
  PackedLines(PackedLines&&) noexcept;
  ~PackedLines();

  // The next line, without its end. False: that was all. Errors: as of unpack(), and a file that
  // cannot be read.
  Result<bool> next(std::string& line);
  // Was the line longer than what was given of it?
  bool cut() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace orch
