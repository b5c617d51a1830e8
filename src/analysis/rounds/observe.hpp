// The difference between two sides of a question, as a store has it. Reads the store only.
#pragma once

#include "analysis/rounds/points.hpp"
#include "core/sql/database.hpp"
#include "core/statistics/session_difference.hpp"

#include <string>

namespace orch::rounds {

// Which points are compared, in which column of `results`.
struct Sides {
  std::string experiment;
  std::string metric;
  const PairOfPoint& a;
  const PairOfPoint& b;
};

// Uses valid measurements of the points' present configuration. A lent spread is not used: see
// statistics::looks().
Result<statistics::SessionDifference> observed_difference(sql::Database& database,
                                                          const Sides& sides, double level);

// One line if METRIC is neither a metric that we measure nor a column of this store's results.
// DATABASE may be null: there is no store yet.
Status check_metric(sql::Database* database, const std::string& metric);

}  // namespace orch::rounds
