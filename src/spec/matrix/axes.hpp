// Which parameters an axis sets, and whether all of its values do.
#pragma once

#include "spec/matrix/matrix.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orch::matrix {

struct SetByAxis {
  std::string name;
  Location where;          // in the first value that sets it
  std::size_t values = 0;  // that set it
};

// In the order of their first occurrence.
std::vector<SetByAxis> set_by(const Axis& axis);

}  // namespace orch::matrix
