// A position in a YAML text that moves over characters and whole scalars. Knows how a scalar is
// spelled, not where one may stand.
#pragma once

#include "core/base/yaml_words.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orch {

class YamlWalk {
 public:
  explicit YamlWalk(std::string_view text) : text_(text), sound_(text) {}

 protected:
  struct Scalar {
    YamlExtent extent;
    bool new_line = false;           // blanks up to the next line follow it
    std::optional<YamlFault> fault;  // in its spelling
  };

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool peek_is(std::string_view set, std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() && set.find(peek(ahead)) != std::string_view::npos;
  }
  bool at_end() const { return at_ >= text_.size(); }
  bool at_break() const { return is_break(peek()); }
  bool blank_or_end(std::size_t ahead) const {
    return at_ + ahead >= text_.size() || is_blank(peek(ahead)) || is_break(peek(ahead));
  }
  // At a line that begins with '---' or '...'.
  bool at_marker() const;
  int column() const { return static_cast<int>(at_ - line_); }

  void skip_break();
  void skip_line();  // up to its end

  // The scalar at the position. LEAST: the indentation of its lines outside of flow.
  Scalar walk_plain(int least, bool in_flow);
  Scalar walk_quoted();
  // PARENT: the indentation of the list or map around it, or -1.
  Scalar walk_block(int parent);

  std::string_view text_;
  // The text for yaml-cpp 0.7: what it misreads is written otherwise, every byte at its place.
  std::string sound_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  // where the line begins

 private:
  std::optional<YamlFault> skip_plain_blanks(int least, bool& new_line);
  std::optional<YamlFault> skip_escape(std::size_t begin);
  std::optional<YamlFault> skip_block_header(std::size_t begin, int& increment);
  std::optional<YamlFault> skip_block_breaks(int parent, Scalar& scalar);

  YamlFault fault(YamlMistake mistake, std::size_t began) const {
    return {.mistake = mistake, .at = at_, .began = began, .words = ""};
  }
};

}  // namespace orch
