// Builds the tree of a YAML text node by node, within limits. Does not depend on a parser. Private
// to src/core/base/yaml.
#pragma once

#include "core/base/result.hpp"
#include "core/base/yaml/yaml.hpp"
#include "core/base/yaml/yaml_words.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace orch {

Error not_a_key(const Yaml& node);

class YamlTree {
 public:
  explicit YamlTree(const YamlLimits& limits) : limits_(limits) {}  // LIMITS must outlive this

  // These add a node to the innermost list or map, or as the root. ANCHOR identifies it for
  // aliases; 0: none. Errors: a limit, a key that is not a scalar, duplicate keys, an alias inside
  // its value.

  // A scalar or null. BYTES: the size of its text.
  Status add(Yaml node, std::size_t bytes, std::size_t anchor);
  // A copy of the node with ANCHOR. ALIAS: "*name", for messages.
  Status add_alias(std::size_t anchor, std::string_view alias, const Location& where);
  // NODE is an empty list or map that begins at BEGIN; until close(), nodes are added to it.
  Status open(Yaml node, std::size_t begin, bool flow, std::size_t anchor);
  Status close();

  bool expects_key() const;
  // The innermost list or map; null if none is open. Its first byte, if one is open.
  const Yaml* innermost() const { return frames_.empty() ? nullptr : &frames_.back().node; }
  std::size_t begin_of_innermost() const { return frames_.back().begin; }
  // Why the token at AT of TEXT does not continue the innermost list or map.
  YamlFault unexpected(std::size_t at, std::string_view text) const;

  Yaml take() && { return std::move(root_); }

 private:
  // Child indices from the root down. Item i of a list is i; of entry i of a map, the key is 2 i
  // and the value 2 i + 1.
  using Path = std::vector<std::uint32_t>;

  // The size of a node including everything below it, with aliases expanded.
  struct Weight {
    std::size_t nodes = 1;
    std::size_t bytes = 0;   // of texts
    std::size_t height = 0;  // levels below it

    void add_child(const Weight& child);
  };
  // Stored as a path, because a pointer would dangle when a list grows.
  struct Anchor {
    bool open = true;
    Path path;
    Weight weight;
  };
  // A list or map being read.
  struct Frame {
    Yaml node;
    Weight weight;
    std::size_t begin;
    bool flow;
    Anchor* anchor;
    bool has_key_only = false;  // the value of the last entry is still to be read

    std::uint32_t next_child() const;
  };

  // Checks the limits for a node of WEIGHT that is about to be added below the open frames.
  Status admit(const Weight& weight, const Location& where);
  Status finish(Yaml node, const Weight& weight);
  Anchor* anchor_of(std::size_t name) { return name == 0 ? nullptr : &anchors_[name]; }
  Path path() const;
  const Yaml& at(const Path& path) const;

  const YamlLimits& limits_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<Frame> frames_;
  std::map<std::size_t, Anchor> anchors_;
  Yaml root_;
};

}  // namespace orch
