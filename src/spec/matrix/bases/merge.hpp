// A matrix and the files that it is based on, as one tree. Knows `base:` and no other key.
#pragma once

#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/matrix.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

struct Merged {
  Yaml root;                       // every node keeps the place in its own file
  std::vector<std::string> bases;  // nearest first
  bool complete = true;            // every file could be read
};

// How the files of `base:` are found and read.
struct BaseFiles {
  const ReadBase& read;
  const FindPreset& find_preset;
};

// Maps are merged key by key, and everything else is replaced. An empty value (`key:` or
// `key: null`) removes the key of the base; without such a key it stays as an idle node. Appends to
// ERRORS: texts that are no YAML or hold a token, bases that cannot be read, that form a cycle or
// that are too many. Empty when TEXT itself cannot be read.
std::optional<Merged> merge_bases(std::string_view text, const std::string& file,
                                  const BaseFiles& files, Errors& errors);

}  // namespace orch::matrix
