// Merges a matrix and the files that it is based on into one tree. Interprets only `base:`.
#pragma once

#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/matrix.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

struct Merged {
  Yaml root;                       // every node keeps its position in its own file
  std::vector<std::string> bases;  // nearest first
  bool complete = true;            // every file could be read
};

// How to find and read the files of `base:`.
struct BaseFiles {
  const ReadBase& read;
  const FindPreset& find_preset;
};

// Maps are merged key by key; everything else is replaced. An empty value (`key:` or `key: null`)
// removes the key of the base; without such a key it stays as an idle node. Appends to ERRORS:
// texts that are not YAML or contain a token, and bases that are unreadable, circular or too many.
// nullopt if TEXT itself cannot be read.
std::optional<Merged> merge_bases(std::string_view text, const std::string& file,
                                  const BaseFiles& files, Errors& errors);

}  // namespace orch::matrix
