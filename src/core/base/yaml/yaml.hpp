// YAML text as a tree of nodes with positions, and a reader of maps that follows a table of keys.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/key_table.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch {

// One node. Scalars keep their text exactly as written: `0.10` stays "0.10".
struct Yaml {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;         // scalar
  bool quoted = false;      // scalar in quotes or a block: text, even if it looks like a number
  bool idle = false;        // a null that removes nothing: the base file has no value there
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
  // "a map", "a list", "the value 'x'", "nothing": for messages.
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

// The faults of NODE as a value of FORM: one error per value of the wrong type, out of range or not
// among the choices. The keys of a map are left to YamlMap. NAME: "'measure.seed'"; HELP: the text
// in the key's row.
Errors faults_of(const Yaml& node, const Form& form, const std::string& name,
                 std::string_view help = {});

// Sets TARGET to the value of NODE, whose form must fit TARGET.

void assign(bool& target, const Yaml& node);
void assign(int& target, const Yaml& node);
void assign(std::int64_t& target, const Yaml& node);
void assign(double& target, const Yaml& node);
void assign(std::string& target, const Yaml& node);
void assign(std::vector<std::string>& target, const Yaml& node);  // a scalar: a list of one
// TARGET is unchanged if the value does not name an enumerator of E.
template <Named E> void assign(E& target, const Yaml& node) {
  target = parse_name<E>(node.text).value_or(target);
}
template <Named E> void assign(std::optional<E>& target, const Yaml& node) {
  target = parse_name<E>(node.text);
}
template <class T> void assign(std::optional<T>& target, const Yaml& node) {
  assign(target.emplace(), node);
}
template <class T> void assign(std::map<std::string, T>& target, const Yaml& node) {
  for (const auto& [name, value] : node.entries) assign(target[name.text], value);
}

// Reads the keys of a map. Reports unknown keys, each with the most similar known one, and missing
// required keys.
class YamlMap {
 public:
  // NODE must outlive this. A null reads as an empty map; so does any other node that is not a map,
  // with an error. KEYS: all that the map may have. WHAT names the map in messages:
  // "'prices'" for a section, "parameter 'a'". IS_PART: required keys may be missing.
  YamlMap(const Yaml& node, const KeyTable& keys, std::string what, Errors& errors,
          bool is_part = false);
  // For keys whose values the caller checks.
  YamlMap(const Yaml& node, std::vector<std::string> keys, std::string what, Errors& errors);

  // The value of KEY, one of the constructor's keys. nullptr: absent or idle.
  const Yaml* take(std::string_view key) const;
  // As take(), but nullptr also if the value does not have the form in the row of KEY; the error
  // then says what the row allows.
  const Yaml* take_fitting(std::string_view key);
  // As take_fitting(); TARGET becomes the value, or is unchanged if there is none.
  template <class T> const Yaml* take(std::string_view key, T& target) {
    const Yaml* value = take_fitting(key);
    if (value) assign(target, *value);
    return value;
  }
  // The items of a list, or the entries of a map of names, that have the form in the row of KEY.
  // Others are errors.
  std::vector<const Yaml*> take_items(std::string_view key);
  std::vector<const Yaml::Entry*> take_entries(std::string_view key);
  // The map under KEY, whose row has its own table of keys; nullopt: absent or idle.
  std::optional<YamlMap> section(std::string_view key);

  const Yaml& node() const { return node_; }

 private:
  void check_keys(bool is_part);
  const Key& row(std::string_view key) const;
  // "'prices.gpu_hour'" in the section 'prices', "'type'" in "parameter 'a'".
  std::string name_of(std::string_view key) const;
  void fail(const Location& where, std::string message);

  const Yaml& node_;
  std::string what_;
  Errors& errors_;
  std::span<const Key> rows_;
  std::vector<std::string> known_;
};

std::optional<bool> to_bool(std::string_view text);  // true/false only

}  // namespace orch
