// What is known of the machine and of each model of a matrix: facts that were found, and facts that
// the matrix states. Knows no expression.
#pragma once

#include "matrix/facts.hpp"
#include "matrix/matrix.hpp"
#include "matrix/vocabulary.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::matrix {

class Known {
 public:
  // Appends to ERRORS: stated facts that the vocabulary does not have, or whose type is another.
  Known(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& found,
        Errors& errors);

  // The columns of all facts: the host's, then the models'.
  const std::vector<const Parameter*>& columns() const { return columns_; }
  bool is_fact(std::string_view column) const;

  // The value of COLUMN for MODEL ("" for none); nullptr when it has none or nobody knows it.
  const Value* find(const std::string& model, const std::string& column) const;
  // Nobody knows yet.
  bool is_unknown(const std::string& model, const std::string& column) const;

 private:
  void read_stated(const std::string& name, const Model& model, Errors& errors);

  const Vocabulary& vocabulary_;
  const KnownFacts& found_;
  std::vector<const Parameter*> columns_;
  std::map<std::string, std::map<std::string, Value>> stated_;  // by model and column
  std::map<std::string, Value>
      absent_;  // by column, of those that say what they are when nobody names them
};

}  // namespace orch::matrix
