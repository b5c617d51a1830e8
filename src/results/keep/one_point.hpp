// A matrix of one point, with everything pinned that the matrix of its experiment left open. Text
// from values: opens no file and knows no store.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::keep {

struct OnePoint {
  std::string name;
  // Every parameter of the point, as the store has it: name and JSON value.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::map<std::string, std::string> revisions;  // by source: the commit that was used
  std::vector<std::string> remarks;              // for the top of the file
};

// As YAML. MATRIX is that of the experiment, with absolute paths; VOCABULARY that of the runner
// RUNNER of the point. Expands to one point with POINT's parameters.
std::string one_point_matrix(const matrix::Matrix& matrix, const matrix::Vocabulary& vocabulary,
                             const std::string& runner, const OnePoint& point);

}  // namespace orch::keep
