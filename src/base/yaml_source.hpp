// Positions in a YAML text: the line and column of a character, and the position of each character
// of a scalar's value. Knows how YAML writes scalars, not documents.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace orch {

// How a scalar is written.
enum class ScalarStyle { plain, single_quoted, double_quoted, literal, folded };

// TEXT is UTF-8 and must outlive this. Calls with ascending positions are cheap; going back rescans
// the text.
class YamlSource {
 public:
  YamlSource(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }

  // The byte at which character INDEX begins; the text's size past its end.
  std::size_t byte_of(std::size_t index);
  // Line and column of the character that begins at BYTE.
  Location at(std::size_t byte);

  // The first byte after the anchor and the tag of a node, where it has them.
  std::size_t skip_properties(std::size_t byte) const;
  // The positions of VALUE's characters. The scalar is written from byte BEGIN up to the character
  // of index END.
  Places trace(std::size_t begin, std::size_t end, ScalarStyle style, std::string_view value);

 private:
  friend class ScalarTrace;
  struct Cursor {
    std::size_t byte = 0;
    std::size_t index = 0;
    int line = 1;
    int column = 1;
  };
  void advance(Cursor& cursor) const;
  void seek(std::size_t byte);

  std::string_view text_;
  std::string file_;
  Cursor cursor_;
};

}  // namespace orch
