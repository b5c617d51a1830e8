// Where each parameter gets its value: from an axis, an entry of `include`, a default of the matrix
// or a literal of the runner. Values are typed and checked. Knows no expression.
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

// Which parameters an axis sets, and whether all of its values do.

struct SetByAxis {
  std::string name;
  Location where;          // in the first value that sets it
  std::size_t values = 0;  // that set it
};

// In the order of their first occurrence.
std::vector<SetByAxis> set_by(const Axis& axis);

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
  std::vector<std::vector<std::vector<Setting>>> axes;  // [axis][value]
  std::vector<Partial> include;
  std::map<std::string, Setting> fixed;  // applies where no axis or entry sets it
  std::set<std::string> unknown;         // names that the vocabulary does not have; reported
};

// Appends to ERRORS: unknown parameters, wrong values, unknown models, values that an axis repeats,
// parameters without a value that a stage reads. Appends to WARNINGS: overridden defaults. Settings
// point into VOCABULARY.
Assignment assign(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors,
                  std::vector<std::string>& warnings);

// Why MODEL is not an entry of `models:`, with a suggestion; empty when it is.
std::optional<std::string> refuse_model(const Matrix& matrix, const std::string& model);

}  // namespace orch::matrix
