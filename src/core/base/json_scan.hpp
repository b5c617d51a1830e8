// Reads members of a JSON text without building a tree: an event costs one pass over its bytes.
// Rejects text that it cannot walk; it is not a validator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch {

// The raw text of the value of OBJECT's own member KEY (not of inner objects). Empty when OBJECT is
// not an object, ends before KEY is found, or has no such member. KEY is compared byte by byte with
// the text, escapes included.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// Walks the members of an object or the elements of an array, one by one.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  // Moves to the next one; false at the end, and where the text cannot be walked.
  bool next();
  std::string_view key() const { return key_; }      // of a member, as written, without its quotes
  std::string_view value() const { return value_; }  // raw
  std::size_t offset() const { return at_; }         // in the text, after that value
  // After next() returned false: the whole text was walked, and only blanks follow.
  bool complete() const { return complete_; }

 private:
  std::string_view text_, key_, value_;
  std::size_t at_ = 0;
  char closing_ = 0;  // 0: not begun
  bool complete_ = false;
};

// Appends the text of a JSON string literal to OUT, escapes resolved to UTF-8. RAW includes the
// quotes. An unpaired surrogate becomes U+FFFD. False, with OUT unchanged, when RAW is not a string
// literal.
bool append_json_string(std::string_view raw, std::string& out);

// Appends RAW, the text of one value, to OUT without blanks. Members keep their order and numbers
// their digits; strings are written as by json_quote. False, with a part appended, when RAW is not
// JSON or is nested deeper than DEPTH.
bool append_compact_json(std::string_view raw, int depth, std::string& out);

// TEXT as a JSON string literal; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace orch
