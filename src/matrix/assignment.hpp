// Who gives each parameter its value: an axis, an entry of `include`, a default of the matrix, a
// literal of the runner. Typed and checked; expressions are not looked at here.
#pragma once

#include "matrix/matrix.hpp"
#include "matrix/vocabulary.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::matrix {

struct Setting {
  const Parameter* parameter = nullptr;  // of the vocabulary
  Value value;
};

// An entry of `include:`.
struct Partial {
  std::vector<Setting> settings;
  std::vector<bool> replaces;  // [axis]
};

struct Assignment {
  std::vector<std::vector<std::vector<Setting>>> axes;  // [axis][value]: what it sets
  std::vector<Partial> include;
  std::map<std::string, Setting> fixed;  // the same wherever nothing else sets it
  std::set<std::string> unknown;  // names that the vocabulary does not have; already told as errors
};

// Appends to ERRORS: unknown parameters, wrong values, unknown models, a value that stands twice in
// an axis, parameters that stages read and that nothing gives a value. Appends to WARNINGS:
// defaults that something else overrides. Settings point into VOCABULARY.
Assignment assign(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors,
                  std::vector<std::string>& warnings);

// Why MODEL is not an entry of `models:`, with a suggestion; empty when it is.
std::optional<std::string> refuse_model(const Matrix& matrix, const std::string& model);

}  // namespace orch::matrix
