// Compresses text into Zstandard frames and decompresses it.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace orch {

// The result is an ordinary .zst file.
std::string pack(std::string_view text);

// Errors: PACKED is not a Zstandard frame, is truncated, or unpacks to more than MOST bytes,
// whatever size the frame states.
Result<std::string> unpack(std::string_view packed, std::size_t most);

// Packs a text in parts, in constant memory.
class Packing {
 public:
  Packing();
  Packing(Packing&&) noexcept;
  ~Packing();

  // Adds TEXT, and returns the packed bytes that are ready.
  std::string add(std::string_view text);
  // Returns the last bytes. Nothing can be added afterwards.
  std::string finish();

 private:
  struct Writer;
  std::unique_ptr<Writer> writer_;
};

// Unpacks a text one block at a time.
class Unpacking {
 public:
  // Returns at most MOST packed bytes from OFFSET on, "" at the end.
  using Source = std::function<Result<std::string>(std::uint64_t offset, std::size_t most)>;

  // More than MOST bytes of text are an error.
  Unpacking(Source source, std::size_t most);
  Unpacking(Unpacking&&) noexcept;
  ~Unpacking();

  // The next part of the text, valid until the next call; "" at the end. Errors: those of unpack()
  // and of the source.
  Result<std::string_view> next();

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

// Packed lines, read one block at a time: memory grows with the longest line, not with the text.
class PackedLines {
 public:
  using Source = Unpacking::Source;

  // A line longer than LONGEST is truncated to that many bytes; more than MOST bytes in total are
  // an error.
  PackedLines(Source source, std::size_t longest, std::size_t most)
      : blocks_(std::move(source), most), longest_(longest) {}

  // The next line without its newline. False at the end. Errors: those of unpack() and of the
  // source.
  Result<bool> next(std::string& line);
  // Whether the line was longer than LONGEST.
  bool cut() const { return cut_; }

 private:
  void take(std::string& line, std::size_t size);

  Unpacking blocks_;
  std::string_view rest_ = {};  // the part of a block that next() has not returned yet
  std::size_t longest_;
  bool cut_ = false;
};

}  // namespace orch
