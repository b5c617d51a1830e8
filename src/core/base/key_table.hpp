// Tables of the keys that a map in a user's file may have, and of the values that each key may
// have. Parsers check maps against these tables; schemas and reference pages are printed from them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace orch {

struct KeyTable;

// The form of a value.
struct Form {
  enum class Kind {
    word,  // one value, read as text
    sql,
    path,
    version,
    integer,
    number,
    boolean,
    list,   // of values of the form `of`
    names,  // a map from names to values of the form `of`
    keys,   // a map with the keys of `keys`
  };

  Kind kind = Kind::word;
  const Form* of = nullptr;
  const KeyTable* keys = nullptr;
  std::span<const std::string_view> choices{};  // of a word: one of these; empty: any word
  // Limits of a number, or of the number of entries of a `list` or `names`. For a word, SQL or a
  // path, `least` 1 means that it must not be empty.
  std::optional<double> least{}, most{};
  bool above = false;               // a number is above `least`, never equal to it
  const Form* otherwise = nullptr;  // another form that the value may have instead
  // For the message about a value of another form: "a number of seconds", and "write [a, b]".
  std::string_view noun{}, remedy{};
};

struct Key {
  std::string_view name;
  const Form* form;
  std::string_view help;
  bool required = false;
};

struct KeyTable {
  std::string_view name;  // unique among all tables: "matrix", "measure", "stage"
  std::string_view help;
  std::span<const Key> keys;
};

}  // namespace orch
