// Compares two sides: the difference of each metric over all points and at each point, its verdict,
// and the smallest difference that could be detected. The unit of evidence is the server session.
#pragma once

#include "analysis/compare/observations.hpp"
#include "analysis/compare/pairing.hpp"
#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "core/statistics/session_difference.hpp"
#include "core/statistics/verdict.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::compare {

// The unit of a row's difference. It depends only on the metric and on side A, so a number in a
// gate means the same for every row with that unit.
enum class Unit {
  percent,  // of side A
  points,   // percentage points, for a share such as error_rate
  own,      // the metric's own, for a metric that is not a share and is 0 on average on side A
};

// The difference of one metric, in the unit `unit`.
struct Row {
  std::string metric;
  std::string pair;            // "" over all points
  std::optional<double> a, b;  // means over sessions; over several points geometric means
  statistics::SessionDifference result;
  Unit unit = Unit::percent;
  double adjusted_p = 1;  // by Holm, over all metrics or over all points and metrics
  statistics::Judgement judgement;
  // The smallest difference that these sessions detect with 80 % power. nullopt without a claim.
  std::optional<double> detectable{};
  // How many sessions per side would detect a difference of the size that matters with 80 % power,
  // given the number of comparisons.
  std::optional<int> sessions_needed{};
  // For a row without a claim for lack of sessions: the difference exceeds every difference seen
  // between sessions of one configuration (statistics::is_far_larger). Not a verdict.
  bool far_larger = false;
  // The largest of those differences, in %; nullopt: this runner has none.
  std::optional<double> largest_seen{};
  Counts counts_a, counts_b;  // of the measurements of this row
};

struct Options {
  double level = 0.95;
  std::optional<double> size{};  // the difference that matters: % of side A, points of a share
  bool disturbed_too = true;     // disturbed measurements also count
  // Returns the spread of METRIC, an index into Selected::metrics, in other sessions: see
  // Lenders::spread(). Without this spread a side needs two sessions.
  std::function<std::optional<statistics::LentSpread>(std::size_t metric, double concentration)>
      lent{};
  // Returns the largest difference between two sessions of one configuration, as a logarithm; see
  // Lenders::largest(). nullopt: no configuration has two.
  std::function<std::optional<double>(std::size_t metric)> largest{};
};

struct Comparison {
  Pairing pairing;
  std::vector<Row> overall{};          // a row for each metric that is not in `missing`
  std::vector<Row> points{};           // by metric, then by pair
  std::vector<std::string> missing{};  // metrics without a value at any common point
  // The compared sessions; imported ones are counted at each point.
  std::size_t sessions_a = 0, sessions_b = 0;
  // A side has imported sessions, each of which has one point.
  bool by_point = false;
  // Sessions that lack one of the compared points; the differences over all points leave them out.
  std::size_t incomplete_a = 0, incomplete_b = 0;
  // The mean duration of a session over both sides; 0: unknown for some session.
  double session_s = 0;
  bool alternates = true;  // false: all sessions of one side ended before those of the other began
};

// A and B have the same metrics. A metric that has no value at a common point has no row.
Comparison compare(const Selected& a, const Selected& b, const Options& options);

// Whether METRIC, a column of `results`, is a share from 0 to 1, whose differences are in
// percentage points.
bool is_share(const std::string& metric);

// Whether no metric has a claim, and more sessions would allow one for each.
bool lacks_sessions(const Comparison& comparison);

// Which direction of METRIC, a column of `results`, is better; higher if unknown.
statistics::Better direction_of(const std::string& metric);

// "better", "worse", "differs" for a metric of which neither direction is better, "same", "none
// shown", "not enough data", "no claim".
std::string_view word_of(const Row& row);

// A gate: SQL that every row of a comparison must meet. A row that is not evidence fails it, unless
// allowed.

// The faults of a row that may be allowed by a gate.
enum class Allowed { invalid, unsupported, disturbed, unpaired, missing, no_claim, unknown };
constexpr auto names_of(Tag<Allowed>) {
  return value_names("invalid", "unsupported", "disturbed", "unpaired", "missing", "no-claim",
                     "unknown");
}

struct GateResult {
  std::vector<std::string> failures;  // a line for each row that fails, and why
  std::vector<std::string> allowed;   // a line for each row that would fail if it were not allowed
  std::size_t rows = 0;               // on which the SQL was evaluated
  bool passed() const { return failures.empty(); }
};

// The error that check_gate() would report if SQL cannot be evaluated for a row.
Status check_gate_sql(const std::string& sql);

// SQL is an expression over the columns of comparison_table(). A row for which it is false or NULL
// fails, and so does a row without a claim, regardless of the SQL. A row or metric that has no
// value on one side fails as unpaired. A comparison without rows fails. An error is one line:
// SQLite's message and the closest column.
Result<GateResult> check_gate(const Comparison& comparison, const std::string& sql,
                              const std::set<Allowed>& allowed);

}  // namespace orch::compare
