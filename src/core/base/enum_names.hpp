// The names of enumerators, as used in messages, JSON, columns and options. A function beside the
// enumeration lists them in order; values count from 0:
//   constexpr auto names_of(Tag<Keep>) { return value_names("all", "engines", "results"); }
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace orch {

// Lets argument-dependent lookup find a function that describes T in T's namespace.
template <class T> struct Tag {};

template <class... Texts> constexpr auto value_names(const Texts&... texts) {
  return std::array<std::string_view, sizeof...(Texts)>{texts...};
}

// The names in A, followed by those in B.
template <std::size_t N, std::size_t M>
constexpr auto joined(const std::array<std::string_view, N>& a,
                      const std::array<std::string_view, M>& b) {
  std::array<std::string_view, N + M> all;
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), all.begin()));
  return all;
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

// The names of all enumerators, in the order of their values.
template <Named E> std::vector<std::string> all_names() {
  constexpr auto all = names_of(Tag<E>());
  return {all.begin(), all.end()};
}

// nullopt if no enumerator is called NAME.
template <Named E> constexpr std::optional<E> parse_name(std::string_view name) {
  constexpr auto all = names_of(Tag<E>());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace orch
