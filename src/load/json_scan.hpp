// Reads JSON without building a tree: a response event costs one walk over its bytes.
// It finds what is there and refuses what it cannot walk; it is no validator.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::load {

// The raw text of the value of KEY among OBJECT's own members (not those of inner objects). Empty when OBJECT is no
// object, ends early before KEY was found, or has no such member. KEY is compared as written, without escapes.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// The members of a JSON object in their order, found by one walk over its bytes: while (members.next()) ...
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object) : text_(object) {}

  // To the next member; false at the end, or where the text cannot be walked further.
  bool next();
  std::string_view name() const { return name_; }    // as written, without its quotes
  std::string_view value() const { return value_; }  // raw
  // Once next() was false: whether the object ended properly and nothing follows it.
  bool whole() const { return whole_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view name_;
  std::string_view value_;
  bool whole_ = false;
};

// The same for the elements of a JSON array.
class JsonElements {
 public:
  explicit JsonElements(std::string_view array) : text_(array) {}

  bool next();
  std::string_view value() const { return value_; }
  bool whole() const { return whole_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view value_;
  bool whole_ = false;
};

// Whether TEXT is one object from end to end, as far as quotes and brackets tell.
bool is_json_object(std::string_view text);

// Appends the text of a JSON string literal (quotes included in RAW) to OUT, escapes resolved to UTF-8; a surrogate that
// has no partner becomes U+FFFD. False, with OUT as it was, when RAW is no string literal.
bool append_json_string(std::string_view raw, std::string& out);

// The same for a string or a flat array of strings, whose texts are joined.
bool append_json_strings(std::string_view raw, std::string& out);

// TEXT as a JSON string literal; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace orch::load
