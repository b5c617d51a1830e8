// Makes the runner an axis: splits a matrix whose points have different runners into one matrix per
// runner. Each is then expanded as if it were alone.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orch::matrix {

struct NamedRunner {
  std::string name;
  Location where;
};

// Every runner named in MATRIX: its default first, then in file order.
std::vector<NamedRunner> runners_of(const Matrix& matrix);

// Whether an axis value or an `include` entry of MATRIX names a runner. If so, every point has a
// parameter `runner`.
bool has_runner_axis(const Matrix& matrix);

// The points of one runner.
struct Share {
  std::size_t runner;  // index into runners_of()
  Matrix matrix;       // its `runner` is still the default of the whole matrix
  // The runner's vocabulary. If the matrix has a runner axis, also `runner`, and the parameters and
  // facts of the other runners, which are NULL in every expression.
  Vocabulary vocabulary;
};

// Splits MATRIX. VOCABULARIES are those of runners_of(), in that order. Returns one share for each
// runner that may have points. Appends to ERRORS: parameters that the runner of their points lacks
// but another runner has.
std::vector<Share> share_out(const Matrix& matrix, const std::vector<Vocabulary>& vocabularies,
                             Errors& errors);

}  // namespace orch::matrix
