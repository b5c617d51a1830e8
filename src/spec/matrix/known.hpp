// The facts of the machine and of each model of a matrix, as detected, read or stated. Knows no
// expression.
#pragma once

#include "spec/matrix/facts.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::matrix {

class Known {
 public:
  // Appends to ERRORS: stated facts that the vocabulary does not have or that have another type.
  Known(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& found,
        Errors& errors);

  // The columns of all facts: the host's, then the models'.
  const std::vector<const Parameter*>& columns() const { return columns_; }
  bool is_fact(std::string_view column) const;

  // The value of COLUMN for MODEL ("" for none); null when it is absent or unknown.
  const Value* find(const std::string& model, const std::string& column) const;
  bool is_unknown(const std::string& model, const std::string& column) const;

 private:
  void read_stated(const std::string& name, const Model& model, Errors& errors);

  const Vocabulary& vocabulary_;
  const KnownFacts& found_;
  std::vector<const Parameter*> columns_;
  std::map<std::string, std::map<std::string, Value>> stated_;  // by model and column
  // The values of columns that have one while they are absent.
  std::map<std::string, Value> absent_;
};

}  // namespace orch::matrix
