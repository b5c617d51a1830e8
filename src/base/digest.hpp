// SHA-256, and the list of named components that a digest is taken over. The list that is hashed is
// the list that is shown, so "is it stale" and "why is it stale" cannot disagree.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch {

// A SHA-256 value. Ordered so that it can key a map.
class Digest {
 public:
  Digest() = default;
  explicit Digest(std::array<std::uint8_t, 32> bytes) : bytes_(bytes) {}

  std::string hex() const;
  // The first N hexadecimal characters, for names.
  std::string prefix(std::size_t characters) const { return hex().substr(0, characters); }
  // Of the value itself, for hash tables.
  std::uint64_t first_bytes() const;
  // False, and OUT as it was, when TEXT is not 64 hexadecimal characters in small letters.
  static bool parse(std::string_view text, Digest& out);

  auto operator<=>(const Digest&) const = default;

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

// Feeds bytes, gives their SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  Digest finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::string_view bytes);

// One thing that decides what a stage makes: "argv[3]" = "--isl=128".
struct Component {
  std::string name;
  std::string value;

  bool operator==(const Component&) const = default;
};

// An ordered list of components. What is hashed is typed and length-delimited: name and value are
// each fed as an eight-byte little-endian length and the bytes, so no two different lists have the
// same encoding. It is kept small, because a plan holds ten thousand of these.
class Components {
 public:
  using List = std::vector<Component>;

  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const Digest& value) { add(name, std::string_view(value.hex())); }

  List list() const;
  Digest digest() const;
  bool empty() const { return bytes_.empty(); }

  // Holds from now on only what differs from BASE, a list much like this one.
  void share(std::shared_ptr<const List> base);

  bool operator==(const Components& other) const { return list() == other.list(); }

 private:
  template <class Visit> void for_each(const Visit& visit) const;
  void unshare();

  std::shared_ptr<const List> base_;
  // In turn: how many components are those of BASE at the same place, and then, unless that was the
  // last, the name and the value of one that is not. Numbers and lengths as seven bits a byte,
  // least first.
  std::string bytes_;
};

}  // namespace orch
