// Where each parameter gets its value: from an axis, an entry of `include`, a default of the matrix
// or a literal of the runner. Values are typed and checked.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::matrix {

// A parameter set by an axis, and by how many of its values.

struct SetByAxis {
  std::string name;
  Location where;          // in the first value that sets it
  std::size_t values = 0;  // number of values that set it
};

// The parameters that AXIS sets, in order of first occurrence.
std::vector<SetByAxis> set_by(const Axis& axis);

struct Setting {
  const Parameter* parameter = nullptr;  // of the vocabulary
  Value value;
};

// An entry of `include:`.
struct Partial {
  std::vector<Setting> settings;
  std::vector<bool> replaces;  // [axis]: whether a setting replaces it
};

struct Assignment {
  std::vector<std::vector<std::vector<Setting>>> axes;  // [axis][value]
  std::vector<Partial> include;
  std::map<std::string, Setting> fixed;  // applies unless an axis or entry sets it
  std::set<std::string> unknown;         // names that the vocabulary lacks; reported
};

// Appends to ERRORS: unknown parameters, wrong values, unknown models, values that an axis repeats,
// parameters without a value that a stage reads. Appends to WARNINGS: overridden defaults. Settings
// point into VOCABULARY.
Assignment assign(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors,
                  std::vector<std::string>& warnings);

// Why MODEL is not an entry of `models:`, with a suggestion; nullopt if it is.
std::optional<std::string> refuse_model(const Matrix& matrix, const std::string& model);

}  // namespace orch::matrix
