// Compresses text into Zstandard frames, and back. Does not know what the text means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace orch {

// The result is a .zst file like any other.
std::string pack(std::string_view text);

// Errors: PACKED is not a Zstandard frame, is truncated, or has more than MOST bytes unpacked. Uses
// no more memory than MOST.
Result<std::string> unpack(std::string_view packed, std::size_t most);

// Packed lines, read a block at a time: memory grows with the longest line, not with the whole.
class PackedLines {
 public:
  // Gives at most MOST packed bytes from OFFSET on, and "" at the end.
  using Source = std::function<Result<std::string>(std::uint64_t offset, std::size_t most)>;

  // A line longer than LONGEST is cut to that many bytes; more than MOST bytes in all are an error.
  PackedLines(Source source, std::size_t longest, std::size_t most);
  PackedLines(PackedLines&&) noexcept;
  ~PackedLines();

  // The next line without its newline. False: there is no further line. Errors: those of unpack()
  // and of the source.
  Result<bool> next(std::string& line);
  // Whether the line was longer than LONGEST.
  bool cut() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace orch
