// Turns libyaml's error messages into messages for users who do not know YAML's grammar. Does not
// parse.
#pragma once

#include "base/yaml_source.hpp"

#include <optional>
#include <string_view>

namespace orch {

// PROBLEM and CONTEXT are libyaml's texts; AT and BEGAN are the bytes that they are about.
struct YamlProblem {
  std::string_view problem;
  std::string_view context;
  std::size_t at = 0;
  std::size_t began = 0;                  // where the token or node that it was reading began
  std::optional<std::size_t> collection;  // where the innermost open list or map began
};

Error explain(const YamlProblem& problem, YamlSource& source);

}  // namespace orch
