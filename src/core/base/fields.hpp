// Describes a struct as one row per member: its JSON key, its column in results.db, its type, and
// how it is read and written. JSON, messages and table rows follow from the rows.
// Does not depend on JSON or SQL: see fields_json.hpp and results/tables/ingest.hpp.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace orch {

enum class FieldType {
  flag,           // false if a record lacks it
  optional_flag,  // absent if a record lacks it, as are the types below unless stated
  integer,
  real,
  text,
  gaps,       // nanoseconds between token events; an empty list if a record lacks it
  sentences,  // a list of texts, joined by "; " in a column
  words,      // a list of column names, joined by " " in a column
  object,     // a JSON object, kept as text; "{}" if a record lacks it
  section,    // JSON of any kind, without a column
};

struct Value;
using Gaps = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;
using Shares = std::vector<std::pair<std::string, double>>;
using List = std::vector<Value>;
using Object = std::vector<std::pair<std::string, Value>>;
using AnyValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, Gaps, Texts,
                              Shares, List, Object>;

// monostate: absent; null in JSON and NULL in a column. Values read from JSON never hold Gaps,
// Texts or Shares; those arrive as lists and objects.
struct Value : AnyValue {
  using AnyValue::AnyValue;

  const AnyValue& any() const { return *this; }
  friend bool operator==(const Value& a, const Value& b) { return a.any() == b.any(); }
};

inline bool is_absent(const Value& value) { return std::holds_alternative<std::monostate>(value); }

// The JSON object that holds a field's key.
struct Group {
  std::string_view key = "";  // "": the document itself
  bool optional = false;      // null if all its fields are absent
};

enum class Presence {
  kept,      // always written; if missing, the default stays
  required,  // always written; if missing, reading fails
  sparse,    // written unless absent; if missing, the default stays
};

template <class T> struct Field {
  std::string_view key;
  std::string_view column;  // "": not in results.db
  FieldType type;
  Value (*get)(const T&) = nullptr;  // null: the JSON writer computes the value
  // Returns false and leaves T unchanged if the value has another type or is out of range. Null if
  // no T is read from values.
  bool (*set)(T&, const Value&) = nullptr;
  Group group = {};
  Presence presence = Presence::kept;
  std::string_view old_key = "";  // the key that earlier versions wrote
};

// T has a table of rows: `constexpr auto fields_of(Tag<T>)` beside T returns it.
template <class T>
concept Described = requires {
  fields_of(Tag<T>());
};
template <Described T> inline constexpr auto k_fields = fields_of(Tag<T>());

// T is written as a list of values without keys, in the order of its rows, to save space. Declared
// by `std::true_type is_list(Tag<T>)` beside T. Append new rows at the end.
template <class T>
concept Positional = Described<T> && requires {
  is_list(Tag<T>());
};

template <Described T> Object object_of(const T& object);
template <Described T> List list_of(const T& object);
template <Described T> Status read_object(T& object, const Value& value);
template <Described T> Status read_list(T& object, const Value& value);

template <class T> struct OptionalOf : std::false_type { using type = T; };
template <class T> struct OptionalOf<std::optional<T>> : std::true_type { using type = T; };
template <class T> struct ItemOf { using type = void; };
template <class T> struct ItemOf<std::vector<T>> { using type = T; };
template <class T> struct MappedOf { using type = void; };
template <class T> struct MappedOf<std::map<std::string, T>> { using type = T; };
template <class T>
concept ListLike = !std::is_void_v<typename ItemOf<T>::type>;
template <class T>
concept MapLike = !std::is_void_v<typename MappedOf<T>::type>;

template <class M> constexpr FieldType field_type() {
  using Plain = typename OptionalOf<M>::type;
  if constexpr (std::same_as<M, bool>) return FieldType::flag;
  else if constexpr (std::same_as<Plain, bool>) return FieldType::optional_flag;
  else if constexpr (std::integral<Plain>) return FieldType::integer;
  else if constexpr (std::floating_point<Plain>) return FieldType::real;
  else if constexpr (std::same_as<Plain, Texts>) return FieldType::sentences;
  else if constexpr (std::same_as<Plain, std::string> || Named<Plain>) return FieldType::text;
  else {
    static_assert(Described<Plain> || ListLike<Plain> || MapLike<Plain>);
    return FieldType::section;
  }
}

template <class M> Value value_of(const M& member) {
  if constexpr (OptionalOf<M>::value) return member ? value_of(*member) : Value();
  else if constexpr (Named<M>) return std::string(to_string(member));
  else if constexpr (std::integral<M> && !std::same_as<M, bool>)
    return std::in_range<std::int64_t>(member) ? static_cast<std::int64_t>(member) : INT64_MAX;
  else if constexpr (Positional<M>) return list_of(member);
  else if constexpr (Described<M>) return object_of(member);
  else if constexpr (std::is_constructible_v<AnyValue, M>) return member;
  else if constexpr (ListLike<M>) {
    List list;
    for (const auto& item : member) list.push_back(value_of(item));
    return list;
  } else {
    Object object;
    for (const auto& [name, item] : member) object.emplace_back(name, value_of(item));
    return object;
  }
}

// Returns false and leaves MEMBER unchanged if VALUE is absent, has another type or is out of
// range. If MEMBER is optional, an absent VALUE gives true, and MEMBER stays unchanged, too.
template <class M> bool assign(M& member, const Value& value) {
  if constexpr (OptionalOf<M>::value) {
    typename M::value_type one{};
    if (is_absent(value)) return true;
    if (!assign(one, value)) return false;
    member = std::move(one);
    return true;
  } else if constexpr (Named<M>) {
    const auto* name = std::get_if<std::string>(&value);
    const auto known = name ? parse_name<M>(*name) : std::nullopt;
    if (known) member = *known;
    return known.has_value();
  } else if constexpr (std::integral<M> && !std::same_as<M, bool>) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (!number || !std::in_range<M>(*number)) return false;
    member = static_cast<M>(*number);
    return true;
  } else if constexpr (std::floating_point<M>) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      member = static_cast<M>(*number);
      return true;
    }
    const auto* number = std::get_if<double>(&value);
    if (number) member = static_cast<M>(*number);
    return number != nullptr;
  } else if constexpr (Described<M>) {
    M one{};
    if constexpr (Positional<M>) {
      if (!read_list(one, value)) return false;
    } else if (!read_object(one, value)) {
      return false;
    }
    member = std::move(one);
    return true;
  } else {
    if constexpr (std::is_constructible_v<AnyValue, M>)
      if (const auto* same = std::get_if<M>(&value)) {
        member = *same;
        return true;
      }
    M items;
    if constexpr (ListLike<M>) {
      const auto* list = std::get_if<List>(&value);
      if (!list) return false;
      for (const Value& item : *list)
        if (!assign(items.emplace_back(), item)) return false;
      member = std::move(items);
      return true;
    } else if constexpr (MapLike<M>) {
      const auto* object = std::get_if<Object>(&value);
      if (!object) return false;
      for (const auto& [name, item] : *object)
        if (!assign(items[name], item)) return false;
      member = std::move(items);
      return true;
    } else {
      return false;
    }
  }
}

template <class T, class M> T class_of(M T::*);

// The row of a member, or of a member of a member: field<&Measurement::verdict, &Verdict::valid>.
template <auto First, auto... Rest>
constexpr auto field(std::string_view key, std::string_view column, Group group = {},
                     Presence presence = Presence::kept) {
  using T = decltype(class_of(First));
  using M = std::remove_cvref_t<decltype(((std::declval<T&>().*First).*....*Rest))>;
  return Field<T>{
      .key = key,
      .column = column,
      .type = field_type<M>(),
      .get = [](const T& object) { return value_of<M>(((object.*First).*....*Rest)); },
      .set = [](T& object,
                const Value& value) { return assign<M>(((object.*First).*....*Rest), value); },
      .group = group,
      .presence = presence};
}
template <auto... Members> constexpr auto field(std::string_view key) {
  return field<Members...>(key, key);
}
template <auto... Members> constexpr auto required(std::string_view key) {
  return field<Members...>(key, key, {}, Presence::required);
}
// As field(), but not written while the member equals a default-constructed one: "", 0, false.
template <auto First, auto... Rest>
constexpr auto sparse(std::string_view key, std::string_view column) {
  auto row = field<First, Rest...>(key, column, {}, Presence::sparse);
  using T = decltype(class_of(First));
  row.get = [](const T& object) {
    const auto& member = ((object.*First).*....*Rest);
    using M = std::remove_cvref_t<decltype(member)>;
    return member == M{} ? Value() : value_of<M>(member);
  };
  return row;
}
template <auto... Members> constexpr auto sparse(std::string_view key) {
  return sparse<Members...>(key, key);
}

// The rows of a described member as rows of T: its keys appear among those of T.
template <auto Member> constexpr auto part() {
  using T = decltype(class_of(Member));
  using M = std::remove_cvref_t<decltype(std::declval<T&>().*Member)>;
  const auto row = []<std::size_t I>(std::integral_constant<std::size_t, I>) {
    const Field<M>& own = k_fields<M>[I];
    return Field<T>{
        .key = own.key,
        .column = own.column,
        .type = own.type,
        .get = [](const T& object) { return k_fields<M>[I].get(object.*Member); },
        .set = [](T& object,
                  const Value& value) { return k_fields<M>[I].set(object.*Member, value); },
        .group = own.group,
        .presence = own.presence,
        .old_key = own.old_key};
  };
  return [row]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{row(std::integral_constant<std::size_t, I>())...};
  }
  (std::make_index_sequence<k_fields<M>.size()>());
}

// Concatenates rows, and arrays of rows such as those of part(), into one array.
template <class T> constexpr std::array<Field<T>, 1> as_rows(const Field<T>& row) { return {row}; }
template <class T, std::size_t N>
constexpr std::array<Field<T>, N> as_rows(const std::array<Field<T>, N>& rows) {
  return rows;
}
template <class... Rows> constexpr auto rows_of(const Rows&... rows) {
  return std::apply([](const auto&... row) { return std::array{row...}; },
                    std::tuple_cat(as_rows(rows)...));
}

// --- A described struct as an object or a list, and back.

template <class T, std::size_t N>
Object object_of(const T& object, const std::array<Field<T>, N>& rows) {
  Object out;
  out.reserve(N);
  for (const Field<T>& row : rows) {
    Value value = row.get(object);
    if (row.presence != Presence::sparse || !is_absent(value))
      out.emplace_back(row.key, std::move(value));
  }
  return out;
}
template <Described T> Object object_of(const T& object) { return object_of(object, k_fields<T>); }

inline const Value* member_of(const Object& object, std::string_view key) {
  const auto found =
      std::ranges::find_if(object, [key](const auto& member) { return member.first == key; });
  return found == object.end() ? nullptr : &found->second;
}

// Keys unknown to T are ignored. Error: VALUE is not an object, or the named key is missing or has
// a value of another type.
template <class T, std::size_t N>
Status read_object(T& object, const Value& value, const std::array<Field<T>, N>& rows) {
  const auto* members = std::get_if<Object>(&value);
  if (!members) return invalid("it is not a JSON object");
  for (const Field<T>& row : rows) {
    const Value* found = member_of(*members, row.key);
    if (!found && !row.old_key.empty()) found = member_of(*members, row.old_key);
    if (!found && row.presence != Presence::required) continue;
    if (!found) return invalid("it has no '" + std::string(row.key) + "'");
    if (!row.set(object, *found)) {
      if (is_absent(*found) && row.presence != Presence::required) continue;
      return invalid("its '" + std::string(row.key) + "' has the wrong type");
    }
  }
  return {};
}
template <Described T> Status read_object(T& object, const Value& value) {
  return read_object(object, value, k_fields<T>);
}

template <Described T> List list_of(const T& object) {
  List out;
  for (const Field<T>& row : k_fields<T>) out.push_back(row.get(object));
  while (!out.empty() && is_absent(out.back())) out.pop_back();
  return out;
}

template <Described T> Status read_list(T& object, const Value& value) {
  const auto* list = std::get_if<List>(&value);
  if (!list) return invalid("it is not a JSON list");
  std::size_t i = 0;
  for (const Field<T>& row : k_fields<T>) {
    if (i == list->size() && row.presence != Presence::required) break;
    const bool is_left_out =
        i < list->size() && is_absent((*list)[i]) && row.presence != Presence::required;
    if (i == list->size() || (!row.set(object, (*list)[i]) && !is_left_out))
      return invalid("its member '" + std::string(row.key) + "' is missing or has the wrong type");
    ++i;
  }
  return {};
}

// The position of KEY in a table. A missing key does not compile.
template <class Rows> consteval std::size_t position(const Rows& fields, std::string_view key) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].key == key) return i;
  throw "no field has this key";
}

}  // namespace orch
