// YAML text as a tree of nodes with positions. Opens no file and knows no key.
#pragma once

#include "core/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch {

struct KeyTable;

// One node. Scalars keep their text exactly as written: `0.10` stays "0.10".
struct Yaml {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;         // scalar
  bool quoted = false;      // scalar in quotes or a block: text, even if it looks like a number
  bool idle = false;        // a null that removes nothing: the base file lacks the key
  std::vector<Yaml> items;  // list
  struct Entry;
  std::vector<Entry> entries;  // map, in the order of the file; keys are scalars and unique
  Location where;
  Places places;  // scalar: the positions of the characters of `text`

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  // The value under KEY, or nullptr. Valid as long as this node is.
  const Yaml* find(std::string_view key) const;
  // "a map", "a list", "the value 'x'": for messages.
  std::string describe() const;
};

struct Yaml::Entry {
  Yaml key;
  Yaml value;
};

struct YamlLimits {
  std::size_t bytes = 1 << 20;
  std::size_t depth = 64;
  std::size_t nodes = 100'000;  // after aliases are expanded
};

// Parses one document. FILE is the file name in locations. Rejects texts beyond the limits,
// duplicate keys, keys that are not scalars, merge keys, tags other than the standard ones, aliases
// inside their own value, NUL and control characters, and a second document. Expanded aliases count
// towards the byte limit.
Result<Yaml> parse_yaml(std::string_view text, std::string file, const YamlLimits& limits = {});

// Reads the keys of a map, and reports each unknown one with the most similar known key.
class YamlMap {
 public:
  // NODE must outlive this. A node that is not a map is reported once and reads as an empty map.
  // KEYS: all keys that are allowed.
  YamlMap(const Yaml& node, const KeyTable& keys, std::string what, Errors& errors);
  YamlMap(const Yaml& node, std::vector<std::string> keys, std::string what, Errors& errors);

  // KEY must be one of the constructor's. nullptr: absent or idle.
  const Yaml* take(std::string_view key);
  const Yaml* require(std::string_view key);  // adds an error when absent
  std::optional<std::string> take_text(std::string_view key);
  std::vector<std::string> take_texts(std::string_view key);  // a list of scalars, or one scalar
  // A list of scalars. A single scalar is an error that shows how to write the list.
  std::vector<std::string> take_list(std::string_view key);
  std::optional<std::int64_t> take_integer(std::string_view key, std::int64_t least);
  std::optional<double> take_seconds(std::string_view key);  // above 0, at most 1e7
  std::optional<bool> take_bool(std::string_view key);
  // Adds an error for every key that is not allowed.
  void finish();

 private:
  std::vector<std::string> take_items(std::string_view key, const Yaml& value);

  const Yaml& node_;
  std::string what_;
  Errors& errors_;
  std::vector<std::string> known_;
};

std::optional<bool> to_bool(std::string_view text);  // true/false only

}  // namespace orch
