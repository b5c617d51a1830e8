// A field of a record as one row of a table: its JSON key, its column in results.db, its type, and
// how its value is read from a struct and written back. It knows neither JSON nor SQL.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace orch::record {

enum class FieldType {
  flag,           // false where a record lacks it
  optional_flag,  // absent where a record lacks it, like all types below
  integer,
  real,
  text,
  gaps,       // nanoseconds between token events; an empty list where a record lacks it
  sentences,  // a list of texts, joined by "; " in a column
  words,      // a list of column names, joined by " " in a column
  object,     // a JSON object, kept as text; "{}" where a record lacks it
  section,    // JSON of any kind that fills no column
};

using Gaps = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;
using Shares = std::vector<std::pair<std::string, double>>;

// monostate: absent; null in JSON and NULL in a column.
using Value =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Gaps, Texts, Shares>;

inline bool is_absent(const Value& value) { return std::holds_alternative<std::monostate>(value); }

// The JSON object that holds a field's key.
struct Group {
  std::string_view key = "";  // "": the document itself
  bool optional = false;      // null where its fields are absent
};

template <class T> struct Field {
  std::string_view key;
  std::string_view column;  // "": not in results.db
  FieldType type;
  Value (*get)(const T&) = nullptr;         // null: the writer of JSON makes it
  void (*set)(T&, const Value&) = nullptr;  // null: no reader makes a T
  Group group = {};
};

template <class T> struct OptionalOf : std::false_type { using type = T; };
template <class T> struct OptionalOf<std::optional<T>> : std::true_type { using type = T; };

template <class M> constexpr FieldType field_type() {
  using Plain = typename OptionalOf<M>::type;
  if constexpr (std::same_as<M, bool>) return FieldType::flag;
  else if constexpr (std::same_as<Plain, bool>) return FieldType::optional_flag;
  else if constexpr (std::integral<Plain>) return FieldType::integer;
  else if constexpr (std::floating_point<Plain>) return FieldType::real;
  else if constexpr (std::same_as<Plain, Texts>) return FieldType::sentences;
  else {
    static_assert(std::same_as<Plain, std::string>);
    return FieldType::text;
  }
}

template <class M> Value value_of(const M& member) {
  if constexpr (OptionalOf<M>::value) return member ? value_of(*member) : Value();
  else if constexpr (std::integral<M> && !std::same_as<M, bool>)
    return std::in_range<std::int64_t>(member) ? static_cast<std::int64_t>(member) : INT64_MAX;
  else return member;
}

// A value that is absent, of another type or out of range leaves MEMBER as it is.
template <class M> void assign(M& member, const Value& value) {
  using Plain = typename OptionalOf<M>::type;
  if constexpr (std::integral<Plain> && !std::same_as<Plain, bool>) {
    if (const auto* number = std::get_if<std::int64_t>(&value);
        number && std::in_range<Plain>(*number))
      member = static_cast<Plain>(*number);
  } else if (const auto* same = std::get_if<Plain>(&value)) {
    member = *same;
  }
}

template <class T, class M> T class_of(M T::*);

// The row of a member, or of a member of a member: field<&Measurement::verdict, &Verdict::valid>.
template <auto First, auto... Rest>
constexpr auto field(std::string_view key, std::string_view column, Group group = {}) {
  using T = decltype(class_of(First));
  using M = std::remove_cvref_t<decltype(((std::declval<T&>().*First).*....*Rest))>;
  return Field<T>{
      .key = key,
      .column = column,
      .type = field_type<M>(),
      .get = [](const T& object) { return value_of<M>(((object.*First).*....*Rest)); },
      .set = [](T& object, const Value& value) { assign<M>(((object.*First).*....*Rest), value); },
      .group = group};
}
template <auto... Members> constexpr auto field(std::string_view key) {
  return field<Members...>(key, key);
}

// The position of KEY in a table; a key that is not there does not compile.
template <class Fields> consteval std::size_t position(const Fields& fields, std::string_view key) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].key == key) return i;
  throw "no field has this key";
}

}  // namespace orch::record
