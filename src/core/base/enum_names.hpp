// The names of enumerators, as used in messages, JSON, columns and options. A function beside the
// enumeration lists them in order; values count from 0:
//   constexpr auto names_of(Tag<Keep>) { return value_names("all", "engines", "results"); }
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace orch {

// Lets argument-dependent lookup find a function that describes T in T's namespace.
template <class T> struct Tag {};

template <class... Texts> constexpr auto value_names(const Texts&... texts) {
  return std::array<std::string_view, sizeof...(Texts)>{texts...};
}

template <class E>
concept Named = std::is_enum_v<E> && requires {
  names_of(Tag<E>());
};

template <Named E> constexpr std::string_view to_string(E value) {
  constexpr auto all = names_of(Tag<E>());
  const auto i = static_cast<std::size_t>(value);
  return i < all.size() ? all[i] : "?";
}

// nullopt if no enumerator is called NAME.
template <Named E> constexpr std::optional<E> parse_name(std::string_view name) {
  constexpr auto all = names_of(Tag<E>());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace orch
