// Positions in a YAML text: the line and column of a character, and the text of a scalar with the
// position of each of its characters.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace orch {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_break(char c) { return c == '\n' || c == '\r'; }

// The number of hexadecimal digits that follow backslash and LETTER in double quotes; 0 for most.
std::size_t escape_digits_of(char letter);

// How a scalar is written.
enum class ScalarStyle { plain, single_quoted, double_quoted, literal, folded };

// The bytes of one scalar, including quotes and block header.
struct YamlExtent {
  std::size_t begin;
  std::size_t end;
  ScalarStyle style;
  int indent = 0;  // of the lines of a block
};

struct ScalarText {
  std::string text;
  Places places;
};

// TEXT is UTF-8 and must outlive this. Ascending positions are cheap; going back rescans the text.
class YamlSource {
 public:
  YamlSource(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }

  // Line and column of the character that begins at BYTE.
  Location at(std::size_t byte);

  // The first byte of the node at BYTE after its anchor and tag, if it has any.
  std::size_t skip_properties(std::size_t byte) const;
  // The scalar at EXTENT, which must be well-formed.
  ScalarText read(const YamlExtent& extent);

 private:
  friend class ScalarReader;
  struct Cursor {
    std::size_t byte = 0;
    int line = 1;
    int column = 1;
  };
  void advance(Cursor& cursor) const;
  void seek(std::size_t byte);

  std::string_view text_;
  std::string file_;
  Cursor cursor_;
};

// Rejects invalid UTF-8, control characters, and line breaks other than \n and \r.
Status check_characters(YamlSource& source);

}  // namespace orch
