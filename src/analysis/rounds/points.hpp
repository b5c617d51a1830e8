// Which points of an expanded matrix belong to which side of a question, and which of them are the
// same but for what differs between the sides. Knows no store.
#pragma once

#include "spec/matrix/expand.hpp"
#include "analysis/rounds/question.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace orch::rounds {

// The names of the points of a side, each with the values of the parameters that make its pair.
using PairOfPoint = std::map<std::string, std::string>;

struct Points {
  std::vector<PairOfPoint> sides;      // as Question::sides
  std::vector<std::string> paired_by;  // parameters that the matrix varies and that make the pair
};

// EXPANSIONS: for each side, the matrix expanded with the SQL of that side as ExpandOptions::again.
// The parameters that no two points of different sides share a value of differ between the sides,
// and make no pair. Errors: a side without a point that can run, a point on two sides.
Result<Points> points_of(const Question& question, const matrix::Matrix& matrix,
                         std::span<const matrix::Expansion> expansions);

}  // namespace orch::rounds
