// Whether a text is JSON, to the letter. Builds nothing: what the text says is for others to read.
// nlohmann's reader says this, too, but refuses numbers that no double holds, which others that
// read the same files take.
#pragma once

#include <optional>
#include <string_view>

namespace orch {

struct JsonFault {
  std::size_t at = 0;     // where in the text
  std::string_view what;  // "no value"
  bool too_deep = false;  // and so far no other fault
};

// The first fault of TEXT, which may be nested DEEPEST deep.
std::optional<JsonFault> find_json_fault(std::string_view text, int deepest);

}  // namespace orch
