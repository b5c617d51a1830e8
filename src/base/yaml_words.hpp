// What a YAML parser says about a faulty text, said again for somebody who wrote a matrix and has
// never seen the grammar.
#pragma once

#include "base/yaml_source.hpp"

#include <optional>
#include <string_view>

namespace orch {

// PROBLEM and CONTEXT are libyaml's words; AT and BEGAN the bytes they are about.
struct YamlProblem {
  std::string_view problem;
  std::string_view context;
  std::size_t at = 0;
  std::size_t began = 0;                  // where what is being read began
  std::optional<std::size_t> collection;  // where the innermost open list or map began
};

Error explain(const YamlProblem& problem, YamlSource& source);

}  // namespace orch
