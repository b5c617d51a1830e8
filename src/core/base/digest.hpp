// SHA-256, and the list of named components that a digest is computed over. The hashed list is the
// displayed list, so a digest and its explanation cannot disagree.
#pragma once

#include "core/base/fields.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch {

// A SHA-256 value. Ordered, so that it can be the key of a map.
class Digest {
 public:
  Digest() = default;
  explicit Digest(std::array<std::uint8_t, 32> bytes) : bytes_(bytes) {}

  std::string hex() const;
  // The first CHARACTERS hexadecimal digits, for names.
  std::string prefix(std::size_t characters) const { return hex().substr(0, characters); }
  // The first eight bytes as a number, for hash tables.
  std::uint64_t first_bytes() const;
  // Returns false and leaves OUT unchanged unless TEXT is 64 lower-case hexadecimal digits.
  static bool parse(std::string_view text, Digest& out);

  auto operator<=>(const Digest&) const = default;

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

// Computes the SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  Digest finish();  // call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::string_view bytes);

// One named value that enters a digest: "argv[3]" = "--isl=128".
struct Component {
  std::string name;
  std::string value;

  bool operator==(const Component&) const = default;
};
constexpr auto fields_of(Tag<Component>) {
  return rows_of(required<&Component::name>("name"), required<&Component::value>("value"));
}
std::true_type is_list(Tag<Component>);

// An ordered list of components. The hashed encoding has an eight-byte little-endian length before
// each name and value, so no two lists have the same encoding. Stored compactly, because a plan
// can have ten thousand of these lists.
class Components {
 public:
  using List = std::vector<Component>;

  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const Digest& value) { add(name, std::string_view(value.hex())); }

  List list() const;
  Digest digest() const;
  bool empty() const { return bytes_.empty(); }

  // Stores only the differences from BASE, a similar list, until the next add().
  void share(std::shared_ptr<const List> base);

  bool operator==(const Components& other) const { return list() == other.list(); }

 private:
  template <class Visit> void for_each(const Visit& visit) const;
  void unshare();

  std::shared_ptr<const List> base_;
  // Alternately a count of components that equal those of BASE at the same indices, and the name
  // and value of one that differs; a count may end the list. Numbers and lengths are base-128,
  // least significant group first.
  std::string bytes_;
};

}  // namespace orch
