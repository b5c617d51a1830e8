#include "spec/matrix/vocabulary.hpp"

namespace orch::matrix {

const Parameter* Vocabulary::find(std::string_view name) const {
  for (const Parameter& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

bool Vocabulary::is_read(std::string_view name) const {
  return name == "model" || std::ranges::find(read, name) != read.end();
}

}  // namespace orch::matrix
