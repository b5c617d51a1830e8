// Detects literals that look like access tokens.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace orch {

// A literal that looks like an access token, in a text that will be stored and shown.
struct FoundSecret {
  std::size_t offset;
  std::string_view kind;  // "a Hugging Face token"
  int line;
  int column;
};
// The first such literal in TEXT, comments included. Messages name its kind and position, never the
// token.
std::optional<FoundSecret> find_secret(std::string_view text);

}  // namespace orch
