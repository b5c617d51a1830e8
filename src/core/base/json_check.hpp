// Checks whether a text is strictly JSON. Builds no value. nlohmann-json's parser checks this as
// well, but rejects numbers out of the range of a double, which other readers of the same files
// accept.
#pragma once

#include <optional>
#include <string_view>

namespace orch {

struct JsonFault {
  std::size_t at = 0;     // where in the text
  std::string_view what;  // "no value"
  bool too_deep = false;  // nested too deep, and valid up to there
};

// The first fault of TEXT, which may have DEEPEST levels.
std::optional<JsonFault> find_json_fault(std::string_view text, int deepest);

}  // namespace orch
