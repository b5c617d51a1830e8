#include "analysis/compare/two_sides.hpp"

#include "analysis/compare/comparison_text.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/sql/database.hpp"
#include "core/statistics/sequential.hpp"
#include "results/query/query.hpp"

#include <cmath>

namespace orch::compare {

namespace {

using statistics::Scale;
using statistics::SessionDifference;
using Rounds = std::vector<ObservedSession>;

// Averages each pair over the SESSIONS that have it, then averages the pairs; geometrically on the
// scale of ratios.
std::optional<double> mean_of(const statistics::Sessions& sessions, Scale scale) {
  std::map<std::string_view, std::vector<double>> values;
  bool positive = scale == Scale::ratio;
  for (const statistics::Session& session : sessions)
    for (const statistics::Observation& one : session) {
      values[one.pair].push_back(one.value);
      positive = positive && one.value > 0;
    }
  if (values.empty()) return {};
  double sum = 0;
  for (const auto& [pair, of_pair] : values) {
    double in_pair = 0;
    for (const double value : of_pair) in_pair += positive ? std::log(value) : value;
    sum += in_pair / static_cast<double>(of_pair.size());
  }
  const double mean = sum / static_cast<double>(values.size());
  return positive ? std::exp(mean) : mean;
}

// Only the observations of PAIR.
statistics::Sessions at_pair(const Rounds& rounds, const std::string& pair) {
  statistics::Sessions out;
  for (const ObservedSession& round : rounds) {
    statistics::Session kept;
    for (const statistics::Observation& one : round.observations)
      if (one.pair == pair) kept.push_back(one);
    if (!kept.empty()) out.push_back(std::move(kept));
  }
  return out;
}

SessionDifference difference_of(const std::string& metric, const statistics::Sessions& a,
                                const statistics::Sessions& b,
                                statistics::DifferenceOptions options) {
  if (!is_share(metric)) {
    SessionDifference found = statistics::session_difference(a, b, options);
    if (found.no_claim != statistics::NoClaim::value_not_positive) return found;
  }
  options.scale = Scale::additive;
  options.lent.reset();
  return statistics::session_difference(a, b, options);
}

// The factor that converts an additive difference to the unit of ROW.
double factor_of(const Row& row) {
  if (row.unit == Unit::points) return 100;
  return row.unit == Unit::percent ? 100 / std::abs(*row.a) : 1;
}

void rescale(SessionDifference& result, double factor) {
  if (result.difference) *result.difference *= factor;
  if (!result.inference) return;
  result.inference->low *= factor;
  result.inference->high *= factor;
  result.inference->standard_error *= factor;
}

class Comparing {
 public:
  Comparing(const Selected& a, const Selected& b, const Options& options)
      : options_(options), out_{.pairing = pairing_of(a, b)}, a_(paired(a)), b_(paired(b)) {}

  Comparison compare() {
    for (std::size_t metric = 0; metric < a_.selected.metrics.size(); ++metric) add_metric(metric);
    judge(out_.overall);
    judge(out_.points);
    return std::move(out_);
  }

 private:
  // A side with the pair of each row, and its rows by pair. A row has no pair here if only this
  // side has it.
  struct PairedSide {
    const Selected& selected;
    std::vector<std::optional<std::string>> pairs{};
    std::map<std::string, Selected> by_pair{};
  };

  PairedSide paired(const Selected& selected) const {
    PairedSide out{.selected = selected};
    for (const std::string& pair : out_.pairing.pairs)
      out.by_pair.emplace(pair, Selected{selected.parameters, selected.metrics, {}});
    for (const Measured& row : selected.rows) {
      const auto at = out.by_pair.find(out_.pairing.pair_of(selected, row));
      out.pairs.push_back(at == out.by_pair.end() ? std::nullopt : std::optional(at->first));
      if (at != out.by_pair.end()) at->second.rows.push_back(row);
    }
    return out;
  }

  Observations observe(const Selected& side, std::size_t metric, const PairOf& pair_of) const {
    return observations_of(side, metric, pair_of,
                           {.older_too = true, .disturbed_too = options_.disturbed_too});
  }

  Observations observe_all(const PairedSide& side, std::size_t metric) const {
    return observe(side.selected, metric, [&side](const Measured& row) {
      return side.pairs[static_cast<std::size_t>(&row - side.selected.rows.data())];
    });
  }

  void add_metric(std::size_t metric) {
    const Observations a = observe_all(a_, metric), b = observe_all(b_, metric);
    if (a.sessions.empty() && b.sessions.empty() && a.counts.unsupported == 0 &&
        b.counts.unsupported == 0 && a.counts.invalid == 0 && b.counts.invalid == 0) {
      out_.missing.push_back(a_.selected.metrics[metric]);
      return;
    }
    const Rounds in_a = rounds_of(a.sessions), in_b = rounds_of(b.sessions);
    const Matched both = matched(in_a, in_b);
    Row overall;
    overall.metric = a_.selected.metrics[metric];
    overall.counts_a = a.counts;
    overall.counts_b = b.counts;
    // With a single pair, each session is a round, imported or not.
    const bool joined = out_.pairing.pairs.size() > 1;
    const statistics::DifferenceOptions how{.level = options_.level,
                                            .lent = lent_for(metric, both),
                                            .apart_a = joined && has_imported(in_a),
                                            .apart_b = joined && has_imported(in_b)};
    // Without a common round, all sessions are counted, to show what is missing.
    const bool none = both.a.empty() || both.b.empty();
    const auto of_a = sessions_of(none ? in_a : both.a), of_b = sessions_of(none ? in_b : both.b);
    const auto largest = options_.largest ? options_.largest(metric) : std::nullopt;
    finish(overall, of_a, of_b, how, largest);
    note_sessions(both, overall.result);
    out_.overall.push_back(overall);
    if (out_.pairing.pairs.size() < 2) return;
    for (const std::string& pair : out_.pairing.pairs) {
      Row row;
      row.metric = overall.metric;
      row.pair = pair;
      const auto this_pair = [&pair](const Measured&) { return std::optional(pair); };
      row.counts_a = observe(a_.by_pair.at(pair), metric, this_pair).counts;
      row.counts_b = observe(b_.by_pair.at(pair), metric, this_pair).counts;
      finish(row, at_pair(in_a, pair), at_pair(in_b, pair), at_one_pair(how), largest);
      out_.points.push_back(std::move(row));
    }
  }

  // The spread at one pair includes that of the session and that of the pair.
  static statistics::DifferenceOptions at_one_pair(statistics::DifferenceOptions how) {
    if (how.lent) how.lent->sd = how.lent->pair_sd;
    how.apart_a = how.apart_b = false;
    return how;
  }

  std::optional<statistics::LentSpread> lent_for(std::size_t metric, const Matched& both) const {
    if (!options_.lent || both.a.empty() || both.b.empty()) return {};
    double sum = 0;
    for (const Rounds* rounds : {&both.a, &both.b})
      for (const ObservedSession& one : *rounds) sum += one.concentration;
    return options_.lent(metric, sum / static_cast<double>(both.a.size() + both.b.size()));
  }

  void finish(Row& row, const statistics::Sessions& a, const statistics::Sessions& b,
              const statistics::DifferenceOptions& how, std::optional<double> largest) const {
    row.result = difference_of(row.metric, a, b, how);
    row.a = mean_of(a, row.result.scale);
    row.b = mean_of(b, row.result.scale);
    const bool is_ratio = row.result.scale == Scale::ratio;
    if (!is_ratio)
      row.unit = is_share(row.metric)   ? Unit::points
                 : row.a && *row.a != 0 ? Unit::percent
                                        : Unit::own;
    if (!is_ratio) rescale(row.result, factor_of(row));
    if (largest) row.largest_seen = 100 * std::expm1(*largest);
    row.far_larger = statistics::is_far_larger(row.result, largest);
    if (!row.result.inference) return;
    const auto least = static_cast<int>(std::min(row.result.sessions_a, row.result.sessions_b));
    const double sd = *statistics::session_sd(row.result);
    statistics::DetectableOptions detectable{.level = options_.level,
                                             .lent_degrees = more_degrees(row, how)};
    const double unit = is_ratio ? 100 : 1;
    if (const auto found = statistics::detectable_difference(sd, least, detectable))
      row.detectable = *found * unit;
    // The level is corrected for all comparisons that are shown.
    detectable.level = 1 - (1 - options_.level) / comparisons_of(row);
    if (options_.size && sd > 0 && row.unit != Unit::own)
      row.sessions_needed = statistics::sessions_needed(*options_.size / unit, sd, detectable);
  }

  // The largest number of rows like ROW that are judged together.
  double comparisons_of(const Row& row) const {
    const std::size_t pairs = row.pair.empty() ? 1 : out_.pairing.pairs.size();
    return static_cast<double>(a_.selected.metrics.size() * pairs);
  }

  // Degrees of freedom in addition to those of one pair with the same number of sessions per side.
  static double more_degrees(const Row& row, const statistics::DifferenceOptions& how) {
    const auto& inference = *row.result.inference;
    if (inference.spread == statistics::SpreadSource::lent && how.lent) return how.lent->degrees;
    if (!how.apart_a && !how.apart_b) return 0;
    const auto least = std::min(row.result.sessions_a, row.result.sessions_b);
    return std::max(0.0, inference.degrees - 2 * static_cast<double>(least - 1));
  }

  void note_sessions(const Matched& both, const SessionDifference& found) {
    if (both.a.empty() || both.b.empty() ||
        found.sessions_a + found.sessions_b < out_.sessions_a + out_.sessions_b)
      return;
    out_.sessions_a = found.sessions_a;
    out_.sessions_b = found.sessions_b;
    out_.by_point = out_.pairing.pairs.size() > 1 && (has_imported(both.a) || has_imported(both.b));
    out_.incomplete_a = both.incomplete_a;
    out_.incomplete_b = both.incomplete_b;
    const Times a = times_of(both.a), b = times_of(both.b);
    const bool timed = a.known && b.known;
    out_.session_s =
        timed ? (a.busy_s + b.busy_s) / static_cast<double>(both.a.size() + both.b.size()) : 0;
    out_.alternates = !timed || (a.ended_at > b.begun_at && b.ended_at > a.begun_at);
  }

  struct Times {
    double busy_s = 0, begun_at = INFINITY, ended_at = 0;
    bool known = true;
  };

  static Times times_of(const Rounds& rounds) {
    Times out;
    for (const ObservedSession& one : rounds) {
      out.busy_s += one.busy_s;
      out.begun_at = std::min(out.begun_at, one.begun_at);
      out.ended_at = std::max(out.ended_at, one.ended_at);
      out.known = out.known && one.busy_s > 0;
    }
    return out;
  }

  void judge(std::vector<Row>& rows) const {
    std::vector<double> p;
    for (const Row& row : rows)
      if (row.result.inference) p.push_back(row.result.inference->p);
    const std::vector<double> adjusted = statistics::holm(p);
    std::size_t at = 0;
    for (Row& row : rows) {
      if (row.result.inference) row.adjusted_p = adjusted[at++];
      row.judgement = statistics::judge(
          row.result,
          {.better = direction_of(row.metric),
           .size = row.unit == Unit::own ? std::nullopt : options_.size,
           .adjusted_p = row.result.inference ? std::optional(row.adjusted_p) : std::nullopt});
    }
  }

  const Options& options_;
  Comparison out_;
  const PairedSide a_, b_;
};

bool has_direction(const std::string& metric) {
  const measure::MetricRow* known = measure::reported_metric(metric);
  return known && known->shown.better != measure::Better::neither;
}

constexpr std::string_view k_false = "false";
Result<sql::Database> database_of(const report::Table& table) {
  ORCH_ASSIGN(sql::Database database, sql::Database::open(":memory:"));
  std::string columns, places;
  for (const Column& column : comparison_columns()) {
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", sql::quote_name(column.name),
                           column.type);
    places += places.empty() ? "?" : ", ?";
  }
  ORCH_TRY(database.execute("CREATE TABLE comparison (" + columns + ")"));
  {
    ORCH_ASSIGN(sql::Statement insert,
                database.prepare("INSERT INTO comparison VALUES (" + places + ")"));
    for (const auto& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        ORCH_TRY(insert.bind(static_cast<int>(i) + 1, row[i]));
      ORCH_TRY(insert.run());
    }
  }
  ORCH_TRY(database.execute("PRAGMA query_only = 1"));
  return database;
}

std::string name_of(const Row& row) {
  return row.metric + (row.pair.empty() ? " over all points" : " at " + row.pair);
}

// Whether SQL is one expression with a value for each row.
Status check_alone(sql::Database& database, const std::string& sql) {
  // Checked without parentheses as well: "1) OR (1" is not an expression.
  ORCH_TRY(report::select(database, "SELECT " + sql + "\n FROM comparison WHERE 0"));
  // SQL that aggregates gives one row for the whole table, even for an empty one.
  ORCH_ASSIGN(const report::Table of_no_row,
              report::select(database, "SELECT (" + sql + "\n) FROM comparison WHERE 0"));
  if (of_no_row.rows.empty()) return {};
  return invalid(
      "the SQL of a gate is evaluated for each row, but this one aggregates all rows; write a "
      "subquery: \"(SELECT max(worst_loss) FROM comparison) < 5\"");
}

// The result of the SQL for each row, in order: "" if it is true, otherwise why not.
Result<std::vector<std::string>> answers_of(const report::Table& table, const std::string& sql) {
  ORCH_ASSIGN(sql::Database database, database_of(table));
  ORCH_TRY(check_alone(database, sql));
  // Materialized, so any SQL is evaluated once per row.
  ORCH_ASSIGN(
      const report::Table answers,
      report::select(database,
                     "WITH gate_answers(gate_answer) AS MATERIALIZED (SELECT (" + sql +
                         "\n) FROM comparison ORDER BY rowid) SELECT CASE WHEN gate_answer "
                         "THEN '' WHEN NOT gate_answer THEN '" +
                         std::string(k_false) + "' ELSE 'unknown (NULL)' END FROM gate_answers"));
  std::vector<std::string> out;
  for (const auto& row : answers.rows) out.push_back(std::get<std::string>(row.front()));
  return out;
}

class Gate {
 public:
  explicit Gate(const std::set<Allowed>& allowed) : allowed_(allowed) {}

  // Adds a line that fails the gate unless KIND is allowed.
  void refuse(Allowed kind, const std::string& line) {
    (allowed_.contains(kind) ? result.allowed : result.failures).push_back(line);
  }

  // Whether the SQL may judge ROW; a row that is not evidence fails here, for another reason.
  bool is_evidence(const Row& row) {
    const Counts &a = row.counts_a, &b = row.counts_b;
    const std::size_t before = result.failures.size();
    if (a.invalid + b.invalid > 0)
      refuse(Allowed::invalid, fmt::format("{}: {}", name_of(row),
                                           plural(a.invalid + b.invalid, "invalid measurement")));
    if (a.unsupported + b.unsupported > 0)
      refuse(Allowed::unsupported,
             fmt::format("{}: {} with too few requests for this percentile", name_of(row),
                         plural(a.unsupported + b.unsupported, "measurement")));
    if (a.disturbed + b.disturbed > 0)
      refuse(Allowed::disturbed, fmt::format("{}: {} disturbed by other programs", name_of(row),
                                             plural(a.disturbed + b.disturbed, "measurement")));
    for (const auto& [side, value] : {std::pair("A", row.a), std::pair("B", row.b)})
      if (!value)
        refuse(Allowed::unpaired, fmt::format("{}: side {} has no value", name_of(row), side));
    if (row.a && row.b && a.lacking + b.lacking > 0)
      refuse(Allowed::missing, fmt::format("{}: {} without a value of it", name_of(row),
                                           plural(a.lacking + b.lacking, "valid measurement")));
    return before == result.failures.size();
  }

  // ANSWER is the result of the SQL for ROW: "" if it is true.
  void judge(const Row& row, const std::string& answer, const Comparison& comparison) {
    const std::string verdict = verdict_of(row, comparison);
    if (answer == k_false)
      result.failures.push_back(fmt::format("{}: {}; {}", name_of(row), answer, verdict));
    // SQL such as "verdict <> 'worse'" is true even without a claim.
    else if (!row.result.inference && row.a && row.b)
      refuse(Allowed::no_claim, fmt::format("{}: {}", name_of(row), verdict));
    else if (!answer.empty())
      refuse(row.result.inference ? Allowed::unknown : Allowed::unpaired,
             fmt::format("{}: {}; {}", name_of(row), answer, verdict));
  }

  GateResult result;

 private:
  const std::set<Allowed>& allowed_;
};

}  // namespace

bool lacks_sessions(const Comparison& comparison) {
  return !comparison.overall.empty() && std::ranges::all_of(comparison.overall, [](const Row& row) {
    return row.result.no_claim == statistics::NoClaim::one_session ||
           row.result.no_claim == statistics::NoClaim::spread_contradicted;
  });
}

bool is_share(const std::string& metric) {
  const measure::MetricRow* known = measure::reported_metric(metric);
  return known && known->unit_of_reports().empty();
}

statistics::Better direction_of(const std::string& metric) {
  const measure::MetricRow* known = measure::reported_metric(metric);
  return known && known->shown.better == measure::Better::lower ? statistics::Better::lower
                                                                : statistics::Better::higher;
}

Comparison compare(const Selected& a, const Selected& b, const Options& options) {
  return Comparing(a, b, options).compare();
}

std::string_view word_of(const Row& row) {
  using statistics::Verdict;
  switch (row.judgement.verdict) {
    case Verdict::better: return has_direction(row.metric) ? "better" : "differs";
    case Verdict::worse: return has_direction(row.metric) ? "worse" : "differs";
    case Verdict::no_difference:
      return row.judgement.bound == 0 || row.judgement.within_size ? "same" : "none shown";
    case Verdict::not_enough_data: return "not enough data";
    case Verdict::no_claim: break;
  }
  return "no claim";
}

Status check_gate_sql(const std::string& sql) {
  ORCH_ASSIGN(sql::Database database, database_of({}));
  return check_alone(database, sql);
}

Result<GateResult> check_gate(const Comparison& comparison, const std::string& sql,
                              const std::set<Allowed>& allowed) {
  const report::Table table = comparison_table(comparison);
  ORCH_ASSIGN(const std::vector<std::string> answers, answers_of(table, sql));
  Gate gate(allowed);
  gate.result.rows = answers.size();
  if (answers.empty())
    gate.result.failures.emplace_back("no metric of any point has a measurement on both sides");
  for (const auto* names : {&comparison.pairing.only_a, &comparison.pairing.only_b})
    for (const std::string& pair : *names)
      gate.refuse(Allowed::unpaired, fmt::format("{}: only side {} has it", pair,
                                                 names == &comparison.pairing.only_a ? "A" : "B"));
  for (const std::string& metric : comparison.missing)
    gate.refuse(Allowed::unpaired, fmt::format("{}: no common point has a value", metric));
  std::size_t at = 0;
  for (const auto* rows : {&comparison.overall, &comparison.points})
    for (const Row& row : *rows) {
      const std::string& answer = answers[at++];
      if (gate.is_evidence(row)) gate.judge(row, answer, comparison);
    }
  return std::move(gate.result);
}

}  // namespace orch::compare
