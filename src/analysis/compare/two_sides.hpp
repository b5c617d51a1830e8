// Two sides compared: the difference of each metric over all points and at each point, its verdict,
// and what could still be found. The unit of evidence is the server session. Reads no store.
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

// What the difference of a row is in. It depends on the metric and on side A, so that a number in a
// gate means the same for every row that has it.
enum class Unit {
  percent,  // of side A
  points,   // percentage points, of a share such as error_rate
  own,      // the metric's: side A is 0 on average, and no share
};

// The difference of one metric, in UNIT.
struct Row {
  std::string metric;
  std::string pair;            // "" over all points
  std::optional<double> a, b;  // means over sessions; over several points geometric means
  statistics::SessionDifference result;
  Unit unit = Unit::percent;
  double adjusted_p = 1;  // by Holm, over all metrics or over all points and metrics
  statistics::Judgement judgement;
  // The smallest difference that these sessions find four times out of five. Empty without a claim.
  std::optional<double> detectable{};
  // A side, to find one of the size that matters four times out of five, among all that are judged.
  std::optional<int> sessions_needed{};
  // Of a row without a claim for lack of sessions: the difference is beyond what sessions of one
  // configuration ever differed by (statistics::is_far_larger). No verdict.
  bool far_larger = false;
  std::optional<double> largest_seen{};  // the same, in %; empty: none of this runner were compared
  Counts counts_a, counts_b;             // of the measurements of this row
};

struct Options {
  double level = 0.95;
  std::optional<double> size{};  // the difference that matters: % of side A, points of a share
  bool disturbed_too = true;     // measurements that something else disturbed count as well
  // The spread of other sessions in METRIC, an index into Selected::metrics: see Lenders::spread().
  // Without it a side needs two sessions.
  std::function<std::optional<statistics::LentSpread>(std::size_t metric, double concentration)>
      lent{};
  // The largest difference between two sessions of one configuration, as a logarithm; see
  // Lenders::largest(). Empty: there are none.
  std::function<std::optional<double>(std::size_t metric)> largest{};
};

struct Comparison {
  Pairing pairing;
  std::vector<Row> overall{};                  // a row for each metric that both sides have
  std::vector<Row> points{};                   // by metric, then by pair
  std::vector<std::string> missing{};          // metrics that no common point has a value of
  std::size_t sessions_a = 0, sessions_b = 0;  // that are compared; of imported ones, at each point
  bool by_point = false;                       // a side has imported sessions, of one point each
  // Sessions that lack a point of those, which the differences over all points leave out.
  std::size_t incomplete_a = 0, incomplete_b = 0;
  double session_s = 0;    // the mean duration of a session, of both sides; 0: not known of all
  bool alternates = true;  // false: all sessions of one side ended before those of the other began
};

// A and B have the same metrics. A metric without a value at a common point has no row.
Comparison compare(const Selected& a, const Selected& b, const Options& options);

// METRIC, a column of results, is a share from 0 to 1: its differences are in percentage points.
bool is_share(const std::string& metric);

// Every metric lacks a claim, and more sessions would allow one.
bool lacks_sessions(const Comparison& comparison);

// Which direction of METRIC, a column of results, is better; higher if nobody knows.
statistics::Better direction_of(const std::string& metric);

// "better", "worse", "differs" for a metric of which neither direction is better, "same",
// "not enough data", "no claim".
std::string_view word_of(const Row& row);

// A gate: SQL that every row of a comparison must meet. A row that does not count as evidence fails
// it, unless that is allowed.

// What a row may be without failing the gate.
enum class Allowed { invalid, unsupported, disturbed, unpaired, missing, no_claim, unknown };
constexpr auto names_of(Tag<Allowed>) {
  return value_names("invalid", "unsupported", "disturbed", "unpaired", "missing", "no-claim",
                     "unknown");
}

struct GateResult {
  std::vector<std::string> failures;  // a line for each row that fails, and why
  std::vector<std::string> allowed;   // a line for each that would fail if it were not allowed
  std::size_t rows = 0;               // that the SQL was asked about
  bool passed() const { return failures.empty(); }
};

// Why SQL cannot be asked about a row, as check_gate() would say.
Status check_gate_sql(const std::string& sql);

// SQL is an expression over the columns of comparison_table(). A row for which it is false or NULL
// fails, and so does one about which nothing is claimed, whatever the SQL says. A row and a metric
// without a value on a side fail as if they had no partner. A comparison without a row fails. An
// error is one line: SQLite's message and the closest column.
Result<GateResult> check_gate(const Comparison& comparison, const std::string& sql,
                              const std::set<Allowed>& allowed);

}  // namespace orch::compare
