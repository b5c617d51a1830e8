// Reads members of a JSON text without building a tree, in one pass over its bytes. Walking accepts
// some texts that are not JSON; find_json_fault() is strict.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace orch {

// The raw text of the value of OBJECT's own member KEY (not of inner objects). nullopt if OBJECT is
// not an object, ends before KEY is found, or has no such member. KEY is compared byte by byte with
// the text, escapes included.
std::optional<std::string_view> json_member(std::string_view object, std::string_view key);

// Iterates over the members of an object or the elements of an array.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  // Moves to the next member or element. False at the end, or if the text cannot be walked.
  bool next();
  std::string_view key() const { return key_; }      // of a member, as written, without the quotes
  std::string_view value() const { return value_; }  // raw
  std::size_t offset() const { return at_; }         // of the first byte after value()
  // After next() returned false: whether the whole text was walked and only blanks follow.
  bool complete() const { return complete_; }

 private:
  std::string_view text_, key_, value_;
  std::size_t at_ = 0;
  char closing_ = 0;  // 0: not started
  bool complete_ = false;
};

// Appends the text of a JSON string literal to OUT, escapes resolved to UTF-8. RAW includes the
// quotes. An unpaired surrogate becomes U+FFFD. Returns false and leaves OUT unchanged if RAW is
// not a string literal.
bool append_json_string(std::string_view raw, std::string& out);

// Appends RAW, the text of one value, to OUT without blanks. Members keep their order and numbers
// their digits; strings are written as by json_quote. Returns false, possibly after appending a
// part, if RAW is not JSON or is nested deeper than DEPTH.
bool append_compact_json(std::string_view raw, int depth, std::string& out);

// TEXT as a JSON string literal; invalid UTF-8 becomes U+FFFD.
std::string json_quote(std::string_view text);

// Checks whether a text is strictly JSON. Builds no value. nlohmann-json's parser also checks this,
// but rejects numbers beyond the range of a double, which other readers of the same files accept.

struct JsonFault {
  std::size_t at = 0;     // byte offset in the text
  std::string_view what;  // "no value"
  bool too_deep = false;  // nested too deeply, and valid up to there
};

// The first fault of TEXT, such as nesting beyond DEEPEST levels. nullopt if there is none.
std::optional<JsonFault> find_json_fault(std::string_view text, int deepest);

// Reads and writes JSON from outside, which may not be UTF-8 and may be nested arbitrarily deep.
// Templates, because only .cpp files include nlohmann-json.

// INDENT: as in nlohmann-json; -1 writes one line.
template <class Json> std::string dump(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Json> struct Parsed {
  Json value;  // discarded if TEXT is not JSON or is too deep
  bool too_deep = false;
};

// Rejects TEXT nested deeper than DEPTH, because copying, writing and comparing a value recurse as
// deep as it is nested.
template <class Json> Parsed<Json> parse_shallow(std::string_view text, int depth) {
  bool too_deep = false;
  const auto shallow = [&too_deep, depth](int at, typename Json::parse_event_t, Json&) {
    too_deep = too_deep || at > depth;
    return !too_deep;
  };
  Json value = Json::parse(text, shallow, false);
  if (too_deep) value = Json(Json::value_t::discarded);
  return {.value = std::move(value), .too_deep = too_deep};
}

}  // namespace orch
