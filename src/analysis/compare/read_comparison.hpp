// Reads both sides of a comparison from their stores and compares them. Prints nothing.
#pragma once

#include "analysis/compare/two_sides.hpp"
#include "analysis/compare/provenance.hpp"
#include "analysis/compare/side.hpp"
#include "core/sql/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orch::compare {

struct Question {
  std::string a, b;                    // see side_of()
  std::vector<std::string> metrics{};  // columns of results; empty: the usual ones
  double level = 0.95;
  std::optional<double> size{};  // the difference that matters, in %
  bool disturbed_too = true;
  bool may_be_empty = false;  // a side without a measurement is no error: nothing is compared then
};

struct Answer {
  Side a, b;
  std::size_t measurements_a = 0, measurements_b = 0;
  std::size_t older_a = 0, older_b = 0;    // not shown by `results`, and left out
  std::size_t bursts_a = 0, bursts_b = 0;  // whose stream arrived in bursts
  Comparison comparison;
  Differences differences;
  // The command of a shell that measures both sides in more sessions, if all that is missing is
  // sessions; "" if not, or if a side was measured by no run of ours.
  std::string deciding{};
};

// A and B may be the same database. Errors: a side that means nothing or has no measurement, an
// unknown metric.
Result<Answer> read_comparison(sql::Database& a, sql::Database& b, const Question& question);

// One sentence: what changed in which metric.
std::string verdict_of(const Answer& answer);

}  // namespace orch::compare
