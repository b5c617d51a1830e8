// Matrix x vocabulary -> points: defaults filled in, expressions evaluated in SQLite, excluded
// points dropped, rejected and undecided ones marked. Starts nothing and opens no file.
#pragma once

#include "matrix/facts.hpp"
#include "matrix/matrix.hpp"
#include "matrix/parameters.hpp"
#include "matrix/shared_list.hpp"
#include "matrix/vocabulary.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace orch::matrix {

// One full assignment of parameters.
struct Point {
  std::string name;       // axis values + six characters of a hash over the point's own parameters
  Parameters parameters;  // every parameter that has a value, `let` columns included
  std::string model;      // its name under `models:`; "" when the runner has no parameter `model`
  std::string model_source;
  std::string model_revision;
  std::string dataset_source;  // of measure.prompts; "" when they are synthetic
  std::int64_t warmup = 0;     // requests
  // A rule of the runner that does not hold.
  struct Broken {
    std::string rule;
    std::string why;  // in words, with the point's numbers
  };
  std::optional<Broken> rejected;
  std::vector<Broken> warnings;  // by rules of level warn; none of a point that is rejected, nor by
                                 // what waits for a fact
  // Something reads a fact that nobody knows yet. `who` waits for `fact`: {"rule 'kv-heads'",
  // "model_kv_heads"}.
  struct Waiting {
    std::string who;
    std::string fact;
  };
  SharedList<Waiting> waiting;
  SharedList<std::string>
      unknown;  // parameters whose value waits for a fact; they stand in `parameters` as "{name}"
  std::vector<std::size_t>
      provided;  // entries of the matrix's `provide` that apply; at most one for each stage
  std::vector<double>
      answers;  // to the vocabulary's questions, in their order; k_no_answer: waits for a fact
};

inline constexpr double k_no_answer = std::numeric_limits<double>::quiet_NaN();

struct Expansion {
  std::vector<Point> points;  // in the order of the axes, the last axis fastest, then those of
                              // `include`; excluded ones are not here
  std::size_t excluded = 0;
  std::size_t left_out = 0;  // by `where`
  std::vector<std::string> warnings;
};

struct ExpandOptions {
  std::size_t points =
      1'000'000;  // product of the axes, before exclude; the matrix's own `limits: {points:}` wins
  std::string where;  // --where: only points for which this is true; "": all
};

// A parameter's value comes from its axis, else from a `let` of its name, else from `defaults`,
// else from the runner's literal or expression. Errors: unknown parameter (with a suggestion),
// wrong type or value, a value twice in one axis, an axis that nothing reads, unknown model or
// stage, a parameter without a value that a stage reads and that is not optional, a faulty
// expression, NULL where it is no answer; all of them are put into ERRORS, in the order of the
// file. With any error the expansion is empty. May be called for a matrix that has errors already:
// nothing is said twice, and no points come.
Expansion expand(const Matrix& matrix, const Vocabulary& vocabulary, const KnownFacts& facts,
                 Errors& errors, const ExpandOptions& options = {});

}  // namespace orch::matrix
