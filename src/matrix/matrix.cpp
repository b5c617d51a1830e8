#include "matrix/matrix.hpp"

#include <algorithm>

namespace orch::matrix {

std::vector<std::string> varied_parameters(const Matrix& matrix) {
  std::vector<std::string> names;
  auto add = [&](const Settings& sets) {
    for (const auto& [name, scalar] : sets)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& include : matrix.include) add(include.sets);
  return names;
}

}  // namespace orch::matrix
