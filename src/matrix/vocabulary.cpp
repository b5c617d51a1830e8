#include "matrix/vocabulary.hpp"

namespace orch::matrix {

const Parameter* Vocabulary::find(std::string_view name) const {
  for (const Parameter& parameter : parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

}  // namespace orch::matrix
