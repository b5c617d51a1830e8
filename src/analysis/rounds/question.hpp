// The sides of a matrix that are compared until a difference is decided: from
// `measure.until_difference` or from `run --resolve "A against B"`. Does not depend on the store.
#pragma once

#include "core/base/result.hpp"
#include "core/sql/database.hpp"
#include "core/statistics/session_difference.hpp"
#include "spec/matrix/expand.hpp"
#include "spec/matrix/matrix.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::rounds {

struct Side {
  std::string label;  // for users: "q8_0"
  std::string sql;    // over the parameters of a point; true for the side's points
};

struct Question {
  std::string metric;       // a column of `results`
  double size = 0;          // the difference that matters, as a share
  int most = 0;             // the largest number of sessions per side
  std::vector<Side> sides;  // at least two; each is compared with the first
};

// The command line's settings, which take precedence over the matrix.
struct Asked {
  std::string resolve{};             // "A against B"; "": the question of the matrix
  std::string size{};                // "3 %"; "": the size of the matrix, else 3 %
  std::string metric{};              // "": the metric of the matrix, else output_tps
  std::optional<int> most{};         // nullopt: as in the matrix, else 10
  std::optional<double> budget_s{};  // a round that would probably end later is not begun
};

// nullopt if neither MATRIX nor ASKED has a question. The sides of `--resolve` are two values of
// one axis of MATRIX; other sides are SQL over the parameters of a point, which is not checked
// here.
Result<std::optional<Question>> question_of(const matrix::Matrix& matrix, const Asked& asked);

// "90m" or "2h 30m" in seconds; units are s, m, h and d. nullopt unless TEXT is a duration above 0.
std::optional<double> seconds_of(std::string_view text);

// SQL that is true for the points that have all of SETS.
std::string sql_of(const matrix::Settings& sets);

// Divides the points of an expanded matrix among the sides of a question, and pairs those that are
// equal except for what differs between the sides.

// The name of each point of a side -> its pair, the values of the parameters in `paired_by`.
using PairOfPoint = std::map<std::string, std::string>;

struct Points {
  std::vector<PairOfPoint> sides;      // as Question::sides
  std::vector<std::string> paired_by;  // varied parameters that form the pair
};

// EXPANSIONS: for each side, the points of the matrix with the SQL of that side as
// ExpandOptions::again.
// A parameter of which no two sides share a value differs between the sides, and is not part of a
// pair. Errors: a side without a point that can run, a point on two sides.
Result<Points> points_of(const Question& question, const matrix::Matrix& matrix,
                         std::span<const std::vector<matrix::Point>> expansions);

// The difference between two sides of a question, as measured in a store. Only reads.

// The points that are compared, and the column of `results`.
struct Sides {
  std::string experiment;
  std::string metric;
  const PairOfPoint& a;
  const PairOfPoint& b;
};

// Uses only valid measurements of the points' current configurations. Does not use the spread of
// other sessions: see statistics::looks().
Result<statistics::SessionDifference> observed_difference(sql::Database& database,
                                                          const Sides& sides, double level);

// A one-line error if METRIC is neither a metric that we measure nor a column of this store's
// results. DATABASE is null if there is no store yet.
Status check_metric(sql::Database* database, const std::string& metric);

}  // namespace orch::rounds
