// Scans a YAML text before it is parsed: finds mistakes in its spelling that the parser would let
// pass or report elsewhere, and notes where each scalar is written. Builds no tree.
#pragma once

#include "core/base/yaml_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch {

struct YamlScan {
  std::vector<YamlExtent> scalars;  // in the order of the text
  // The first mistake. Up to byte `stop` the text is sound; nodes that begin later do not count.
  std::optional<YamlFault> fault;
  std::size_t stop = std::string_view::npos;
  // The sound text for yaml-cpp 0.7, every node at its place: collections that are open at `stop`
  // are closed, and what it misreads is written otherwise.
  std::string sound;
};

// TEXT has no character that check_characters refuses. The depth and the number of written nodes
// are bounded by LIMITS.
YamlScan scan_yaml(std::string_view text, const YamlLimits& limits);

}  // namespace orch
