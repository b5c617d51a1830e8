// Matrix x vocabulary -> points: defaults filled in, expressions evaluated in SQLite, excluded
// points dropped, rejected and undecided ones marked. Starts nothing and opens no file.
#pragma once

#include "spec/matrix/matrix.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/matrix/points/points.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::matrix {

// The facts of the machine and of each model of a matrix, whether detected, read or stated.

class Known {
 public:
  // Appends to ERRORS: stated facts that the vocabulary lacks, whose type differs, or that
  // contradict the model's own files.
  Known(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& found,
        Errors& errors);

  // The columns of all facts: first the host's, then the models'.
  const std::vector<const Parameter*>& columns() const { return columns_; }
  bool is_fact(std::string_view column) const;

  // The value of COLUMN for MODEL ("" for none). Null if the fact is unknown, or absent and without
  // a value for that case.
  const Value* find(const std::string& model, const std::string& column) const;
  bool is_unknown(const std::string& model, const std::string& column) const;

 private:
  void read_stated(const std::string& name, const Model& model, Errors& errors);

  const Vocabulary& vocabulary_;
  const KnownFacts& found_;
  std::vector<const Parameter*> columns_;
  std::map<std::string, std::map<std::string, Value>> stated_;  // by model and column
  // Values by column, for facts that have one even if they are absent.
  std::map<std::string, Value> absent_;
};

struct Expansion {
  // In the order of the axes, the last axis fastest; then the points of `include`. Without excluded
  // points.
  Points points;
  std::size_t excluded = 0;
  std::size_t left_out = 0;  // by --where
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // from rules of level note, each text once
};

// The dataset of POINT if a stage fetches it; else null.
const Dataset* fetched_dataset(const Matrix& matrix, const Point& point);

struct ExpandOptions {
  std::size_t points = 1'000'000;  // product of the axes, before exclude; the matrix's own `limits:
                                   // {points:}` takes precedence
  std::string where;               // --where: only points for which this is true; "": all
  std::string again = {};          // --again: the points to measure again; "": none
};

// A parameter's value comes from its axis, else from a `let` of its name, else from `defaults`,
// else from the runner's literal or expression. Appends to ERRORS, in file order: unknown
// parameters (with a suggestion), wrong types or values, values that an axis repeats, axes that
// nothing reads, unknown models or stages, required parameters without a value, faulty expressions,
// NULL where an answer is required. With any error the expansion is empty. A matrix that already
// has errors is expanded to report more of them; none is reported twice.
Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& facts,
                 Errors& errors, const ExpandOptions& options = {});

}  // namespace orch::matrix
