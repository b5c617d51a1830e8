// SHA-256, and the list of named components that a digest is taken over. The list that is hashed is the list that is
// shown, so "is it stale" and "why is it stale" cannot disagree.
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

// An ordered list of components. The encoding is typed and length-delimited: name and value are each written as an
// eight-byte little-endian length and the bytes, so no two different lists have the same encoding.
class Components {
 public:
  void add(std::string name, std::string_view value) { list_.push_back({std::move(name), std::string(value)}); }
  void add(std::string name, const Digest& value) { add(std::move(name), std::string_view(value.hex())); }

  const std::vector<Component>& list() const { return list_; }
  Digest digest() const;

 private:
  std::vector<Component> list_;
};

}  // namespace orch
