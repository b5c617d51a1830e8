// Mistakes in a YAML text: how they are found before parsing, and how they are explained to users
// who do not know YAML's grammar.
#pragma once

#include "core/base/yaml/yaml.hpp"
#include "core/base/yaml/yaml_source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch {

enum class YamlMistake {
  tab,                // in the indentation
  strange_character,  // cannot begin a plain scalar
  colon,              // ends a key where a key is not allowed
  colon_in_flow,      // ends a plain scalar without a blank after it
  key_of_lines,       // a key of several lines in a flow map
  no_colon,           // a line of a map that is not 'key: value'
  open_quote,         // is never closed
  open_flow,          // is never closed
  flow_separator,     // ',' or the closing bracket is missing
  no_content,         // a value is missing
  not_a_key,          // text among the keys of a map
  not_an_item,        // text among the items of a list
  after_root,         // text after the value of the document
  second_document,
  bad_name,     // of an anchor or an alias
  alias_colon,  // ':' after an alias without a blank between them
  bad_tag,
  directive,
  escape,
  escape_digits,
  block_header,
  item_here,      // '-' cannot begin an item here
  question_here,  // '?' cannot begin a key here
  too_deep,
  too_many_nodes,
  ambiguous,  // the parser and the scan disagree
  other,
};

struct YamlFault {
  YamlMistake mistake;
  std::size_t at = 0;
  std::size_t began = 0;  // the start of the token or collection with the mistake
  std::string words;      // the message of `other`
};

Error explain(const YamlFault& fault, YamlSource& source, const YamlLimits& limits);

// A position in a YAML text that moves over characters and whole scalars. Checks how a scalar is
// spelled, not where it may occur.

class YamlWalk {
 public:
  explicit YamlWalk(std::string_view text) : text_(text), sound_(text) {}

 protected:
  struct Scalar {
    YamlExtent extent;
    bool new_line = false;           // only blanks follow it on its last line
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
  // Whether '---' or '...' begins a line at the position.
  bool at_marker() const;
  int column() const { return static_cast<int>(at_ - line_); }

  void skip_break();
  void skip_line();  // up to its end

  // Moves over the scalar at the position. LEAST: the minimum indentation of its further lines,
  // outside flow collections.
  Scalar walk_plain(int least, bool in_flow);
  Scalar walk_quoted();
  // PARENT: the indentation of the list or map around it, or -1.
  Scalar walk_block(int parent);

  std::string_view text_;
  // The text for yaml-cpp 0.7: parts that it would misread are rewritten without moving any byte.
  std::string sound_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  // the start of the line

 private:
  std::optional<YamlFault> skip_plain_blanks(int least, bool& new_line);
  std::optional<YamlFault> skip_escape(std::size_t begin);
  std::optional<YamlFault> skip_block_header(std::size_t begin, int& increment);
  std::optional<YamlFault> skip_block_breaks(int parent, Scalar& scalar);

  YamlFault fault(YamlMistake mistake, std::size_t began) const {
    return {.mistake = mistake, .at = at_, .began = began, .words = ""};
  }
};

// Scans a YAML text before parsing: finds spelling mistakes that the parser would accept or report
// at another position, and notes where each scalar is written.

struct YamlScan {
  std::vector<YamlExtent> scalars;  // in the order of the text
  // The first mistake. The text is sound up to byte `stop`; ignore nodes that begin later.
  std::optional<YamlFault> fault;
  std::size_t stop = std::string_view::npos;
  // The sound text for yaml-cpp 0.7, with every node in place: collections still open at `stop` are
  // closed, and parts that yaml-cpp would misread are rewritten.
  std::string sound;
};

// TEXT must have passed check_characters(). Checks two of the LIMITS: depth, and nodes before
// aliases are expanded.
YamlScan scan_yaml(std::string_view text, const YamlLimits& limits);

}  // namespace orch
