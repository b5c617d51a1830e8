// Reads both sides of a comparison from their stores and compares them. Prints nothing.
#pragma once

#include "analysis/compare/provenance.hpp"
#include "analysis/compare/two_sides.hpp"
#include "core/base/result.hpp"
#include "core/sql/database.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::compare {

// The meaning of a side of a comparison: the name of a run, an experiment, a point or a tool, or
// SQL over the columns of `results_all`. Reads names from the store and compares nothing.

struct Side {
  std::string label;  // "run 7", "experiment nightly", or the SQL
  std::string where;  // over the columns of `results_all`; "" is everything
  // The label is a name that selects the current configuration of its points, as `results` shows
  // it. A run and SQL also select configurations that were measured again or changed later.
  bool is_present = false;
};

// "7" and "run 7" are runs. A text that names exactly one thing in DATABASE means it; any other
// text is SQL, which is not checked here. Errors: no such run; a name that several things have.
Result<Side> side_of(sql::Database& database, std::string_view text);

// A prefix for an error about TEXT as SQL. It says that TEXT is not a name either, and gives the
// closest name or the parameter that has this value; "" if TEXT is clearly SQL.
std::string other_meanings(sql::Database& database, std::string_view text);

struct Question {
  std::string a, b;                    // see side_of()
  std::vector<std::string> metrics{};  // columns of `results`; empty: the usual ones
  double level = 0.95;
  std::optional<double> size{};  // the difference that matters, in %
  bool disturbed_too = true;
  // True: a side without measurements is not an error, and nothing is compared.
  bool may_be_empty = false;
};

// A side, and how many measurements it has.
struct ReadSide : Side {
  std::size_t measurements = 0;
  std::size_t older = 0;   // not counted above: not shown by `results`, and left out
  std::size_t bursts = 0;  // counted above: valid, and their stream arrived in bursts
};

struct Answer {
  ReadSide a, b;
  Comparison comparison;
  Differences differences;
  // The shell command that measures both sides in more sessions; "" unless only sessions are
  // missing and runs of ours measured both sides.
  std::string deciding{};
};

// A and B may be the same database. Errors: a side that matches nothing or has no measurement, an
// unknown metric.
Result<Answer> read_comparison(sql::Database& a, sql::Database& b, const Question& question);

// One sentence: what changed in which metric.
std::string verdict_of(const Answer& answer);

}  // namespace orch::compare
