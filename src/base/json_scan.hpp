// Reads JSON without building a tree: a response event costs one walk over its bytes.
// It finds what is there and refuses what it cannot walk; it is no validator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch {

// The raw text of the value of KEY among OBJECT's own members (not those of inner objects). Empty
// when OBJECT is no object, ends early before KEY was found, or has no such member. KEY is compared
// as written, without escapes.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// Walks the members of an object or the elements of an array, one by one.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  // Goes on to the next; false at the end, and where the text cannot be walked.
  bool next();
  std::string_view key() const { return key_; }      // of a member, as written, without its quotes
  std::string_view value() const { return value_; }  // raw
  std::size_t offset() const { return at_; }         // in the text, behind that value
  // Once next() said false: everything was walked, and nothing but blanks stands behind.
  bool complete() const { return complete_; }

 private:
  std::string_view text_, key_, value_;
  std::size_t at_ = 0;
  char closing_ = 0;  // 0: not begun
  bool complete_ = false;
};

// Appends the text of a JSON string literal (quotes included in RAW) to OUT, escapes resolved to
// UTF-8; a surrogate that has no partner becomes U+FFFD. False, with OUT as it was, when RAW is no
// string literal.
bool append_json_string(std::string_view raw, std::string& out);

// Appends RAW, the text of one value, to OUT without the blanks in it. Members keep their order and
// numbers their digits; texts are written as json_quote does. False, with OUT begun: it is no JSON,
// or lists and objects are nested deeper than DEPTH in it.
bool append_compact_json(std::string_view raw, int depth, std::string& out);

// TEXT as a JSON string literal; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace orch
