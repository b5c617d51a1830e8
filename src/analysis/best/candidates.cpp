#include "analysis/best/candidates.hpp"

#include "analysis/report/digits.hpp"
#include "bench/measure/interval.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/sql/query_guard.hpp"
#include "results/query/query.hpp"
#include "results/query/table.hpp"

#include <cmath>

namespace orch::best {

namespace {

using report::Columns;
using report::Table;

constexpr const char* k_keeps_column = "#keeps";
constexpr const char* k_goal_column = "#goal";

Figure figure_of(const ValueOf& value_of, const std::string& column, double value) {
  return {value, {value_of(column + "_interval_low"), value_of(column + "_interval_high")}};
}

Figure scaled(Figure figure, double factor) {
  figure.value *= factor;
  if (figure.limits.low) *figure.limits.low *= factor;
  if (figure.limits.high) *figure.limits.high *= factor;
  return figure;
}

bool has_limit(const Figure& figure) { return figure.limits.low || figure.limits.high; }

// Whether COLUMN is a metric, so that its values may have intervals; parameters are exact.
bool is_measured(const std::string& column) { return measure::reported_metric(column) != nullptr; }

// "; measure 368 or more for an upper limit of p99", for a percentile over REQUESTS requests.
// REQUESTS 0: their number is unknown but too small.
std::string requests_needed(const std::string& column, double requests = 0) {
  const auto percentile = measure::percentile_of(column);
  if (!percentile) return "";
  const std::string_view name = to_string(percentile->value);
  const std::int64_t needed = measure::values_for_upper_limit(percentile->per_mille);
  if (requests >= static_cast<double>(needed))
    return fmt::format(
        "; its {} requests count as fewer than the {} independent ones that an upper limit of {} "
        "needs",
        requests, needed, name);
  return fmt::format("; measure {} or more for an upper limit of {}", needed, name);
}

// The number of requests per measurement behind the percentile COLUMN; 0 if unknown.
double requests_of(const Candidate& candidate, const std::string& column, const ValueOf& value_of) {
  const double all = value_of(column.substr(0, column.rfind('_')) + "_n").value_or(0);
  return std::floor(all / static_cast<double>(std::max<std::int64_t>(1, candidate.repeats)));
}

void mark_condition(Candidate& candidate, const Question& question, const ValueOf& value_of) {
  for (const Comparison& one : question.condition.comparisons) {
    const auto value = value_of(one.column);
    if (!value) continue;
    const Figure figure = figure_of(value_of, one.column, *value);
    if (!has_limit(figure)) {
      if (is_measured(one.column))
        candidate.marks.push_back(
            {Mark::Kind::no_interval,
             fmt::format("{}: {} has no interval", one.written, figure_text(figure))});
      continue;
    }
    if (judge(one, figure) != Kept::surely)
      candidate.marks.push_back(
          {Mark::Kind::may_break,
           fmt::format(
               "may break {}: {}{}", one.written, figure_text(figure),
               figure.limits.high
                   ? ""
                   : requests_needed(one.column, requests_of(candidate, one.column, value_of)))});
  }
}

std::string unsupported_column(const Question& question, const std::string& unsupported) {
  for (const std::string& column : deciding_columns(question))
    if (lists(unsupported, column)) return column;
  std::vector<std::string> parts = question.condition.others;
  if (question.goal) parts.push_back(question.goal->column);  // which may be SQL
  for (const std::string& column : split(unsupported, ' '))
    for (const std::string& part : parts)
      if (!column.empty() && sql::names_identifier(part, column)) return column;
  return "";
}

void add_cost(Candidate& candidate, const Question& question, const ValueOf& value_of) {
  candidate.gpus = gpus_of(value_of);
  if (question.per != Per::cost) return;
  candidate.hour = price_of_hour(question.prices, candidate.gpus).value_or(0);
  if (question.limits_latency()) candidate.good_share = good_share_of(value_of);
  const double share = candidate.good_share.value_or(1);
  const auto input = value_of(metric::input_tps);
  const auto output = value_of(metric::output_tps);
  if (!output || question.goal->column != metric::output_tps) return;
  candidate.cost = token_cost(
      candidate.hour, {*output * share, input ? std::optional(*input * share) : std::nullopt},
      question.prices.output_token_weight);
}

std::string where_of(const Question& question) {
  std::string out = question.run ? fmt::format("run = {}", *question.run) : "1";
  // The newline ends a comment in the condition.
  if (!question.where.empty()) out += " AND (" + question.where + "\n)";
  return out;
}

// Rejects a CONDITION of more than one expression, which could change the statement around it.
Status check_alone(sql::Database& database, const std::string& condition, std::string_view option) {
  if (condition.empty()) return {};
  const auto alone =
      report::select(database, "SELECT 1 FROM results WHERE " + condition + "\nLIMIT 0");
  return alone ? Status() : Status(alone.error().within(option));
}

Result<Table> read_rows(sql::Database& database, const Question& question) {
  ORCH_TRY(check_alone(database, question.where, "--where"));
  ORCH_TRY(check_alone(database, question.subject_to, "--subject-to"));
  const std::string keeps = question.subject_to.empty() ? "1" : question.subject_to;
  const std::string goal = question.goal ? question.goal->column : "NULL";
  if (question.goal) {
    const auto alone = report::select(database, "SELECT (" + goal + "\n) FROM results LIMIT 0");
    const bool highest = question.goal->direction == report::Direction::higher_is_better;
    if (!alone) return alone.error().within(highest ? "--maximize" : "--minimize");
  }
  return report::select(
      database, fmt::format("SELECT *, ({}\n) AS \"{}\", ({}\n) AS \"{}\" FROM "
                            "results WHERE {} ORDER BY experiment, point",
                            keeps, k_keeps_column, goal, k_goal_column, where_of(question)));
}

// Adds points that were measured but have no valid measurement.
Status add_invalid(sql::Database& database, const Question& question, Candidates& out) {
  auto invalid = report::select(
      database,
      "SELECT experiment, point, reasons, max(measurement) AS newest FROM results_all a WHERE "
      "valid = 0 AND NOT EXISTS (SELECT 1 FROM results_all b WHERE b.experiment = a.experiment AND "
      "b.point = a.point AND b.valid = 1) AND " +
          where_of(question) + " GROUP BY experiment, point");
  // The query fails if the condition names a column that only points with a result have: then no
  // other point meets it.
  if (!invalid) return {};
  const Columns columns(*invalid);
  for (std::size_t row = 0; row < columns.rows(); ++row)
    out.left_out.push_back({columns.text(row, "experiment"), columns.text(row, "point"),
                            "no valid measurement: " + columns.text(row, "reasons")});
  return {};
}

// Parts of the condition that name a figure with an interval but are not a comparison with a
// number.
std::vector<std::string> parts_not_judged(const Question& question, const Columns& columns) {
  std::vector<std::string> out;
  for (const std::string& part : question.condition.others)
    if (std::ranges::any_of(columns.names(), [&](const std::string& name) {
          return is_measured(name) && sql::names_identifier(part, name);
        }))
      out.push_back(part);
  return out;
}

// Whether figures that break the condition might meet it by their intervals.
bool might_keep(const Question& question, const ValueOf& value_of) {
  if (!question.condition.others.empty()) return false;
  return std::ranges::all_of(question.condition.comparisons, [&](const Comparison& one) {
    const auto value = value_of(one.column);
    if (!value) return false;
    Figure figure = figure_of(value_of, one.column, *value);
    if (!has_limit(figure)) figure.limits = {*value, *value};
    return judge(one, figure) != Kept::broken;
  });
}

class Reader {
 public:
  Reader(const Question& question, const Columns& columns, Candidates& out)
      : question_(question), columns_(columns), out_(out) {
    for (const std::string& name : columns.names()) names_.emplace(lower(name), name);
  }

  void read(std::size_t row) {
    const std::string warnings = text(row, "warnings");
    const Read read{.value = [this, row](std::string_view column) { return value(row, column); },
                    .unsupported = text(row, "unsupported"),
                    .warned = !warnings.empty(),
                    .disturbed = report::tells_disturbance(warnings),
                    .bursts = report::tells_bursts(warnings)};
    Candidate candidate{.experiment = text(row, "experiment"),
                        .point = text(row, "point"),
                        .tool = text(row, "tool")};
    for (const std::string& column : question_.by) candidate.by.push_back(text(row, column));
    candidate.repeats = static_cast<std::int64_t>(value(row, "repeats").value_or(1));
    candidate.sessions = static_cast<std::int64_t>(value(row, "serve_repeats").value_or(0));
    candidate.run = static_cast<std::int64_t>(value(row, "run").value_or(0));
    std::string why = fill(candidate, question_, read);
    const auto keeps = columns_.real(row, k_keeps_column);
    if (why.empty() && !keeps) why = "a figure in the condition is unknown";
    if (why.empty() && *keeps == 0) {
      if (!might_keep(question_, read.value)) {
        ++out_.breaking;
        return;
      }
      why = "breaks the condition by its figures, but not by their intervals";
    }
    if (!why.empty())
      return out_.left_out.push_back({candidate.experiment, candidate.point, std::move(why)});
    lengths_.insert(text(row, "isl") + "/" + text(row, "osl"));
    out_.lengths_differ = lengths_.size() > 1;
    out_.rows.push_back(std::move(candidate));
  }

 private:
  // SQLite's column names are case-insensitive.
  std::string name_of(std::string_view column) const {
    const auto found = names_.find(lower(column));
    return found == names_.end() ? std::string(column) : found->second;
  }
  std::optional<double> value(std::size_t row, std::string_view column) const {
    const bool is_goal = question_.goal && question_.goal->column == column;
    return columns_.real(row, is_goal ? std::string(k_goal_column) : name_of(column));
  }
  std::string text(std::size_t row, const std::string& column) const {
    return columns_.text(row, name_of(column));
  }

  const Question& question_;
  const Columns& columns_;
  Candidates& out_;
  std::map<std::string, std::string> names_;
  std::set<std::string> lengths_;
};

}  // namespace

std::vector<std::string> deciding_columns(const Question& question) {
  std::vector<std::string> out;
  if (question.goal) out.push_back(question.goal->column);
  for (const Goal& axis : question.front) out.push_back(axis.column);
  for (const Comparison& one : question.condition.comparisons) out.push_back(one.column);
  return out;
}

bool Candidate::may_break() const {
  return std::ranges::any_of(marks,
                             [](const Mark& mark) { return mark.kind == Mark::Kind::may_break; });
}

bool Candidate::is_sure() const {
  return std::ranges::all_of(marks,
                             [](const Mark& mark) { return mark.kind == Mark::Kind::bursts; });
}

std::string fill(Candidate& candidate, const Question& question, const Read& read) {
  if (const std::string column = unsupported_column(question, read.unsupported); !column.empty())
    return fmt::format("{} has too few requests{}", column, requests_needed(column));
  if (question.goal) {
    const auto value = read.value(question.goal->column);
    if (!value) return "it has no number for " + question.goal->column;
    const Factor factor = factor_of(question, read.value);
    if (!factor.value) return factor.why_not;
    candidate.objective =
        scaled(figure_of(read.value, question.goal->column, *value), *factor.value);
  }
  for (const Goal& axis : question.front) {
    const auto value = read.value(axis.column);
    if (!value && !question.goal) return "it has no number for " + axis.column;
    if (!value) break;
    candidate.axes.push_back(figure_of(read.value, axis.column, *value));
  }
  if (candidate.axes.size() < question.front.size()) candidate.axes.clear();
  add_cost(candidate, question, read.value);
  candidate.warned = read.warned;
  mark_condition(candidate, question, read.value);
  if (read.disturbed)
    candidate.marks.push_back({Mark::Kind::disturbed, "disturbed by other work meanwhile"});
  if (read.bursts)
    candidate.marks.push_back(
        {Mark::Kind::bursts, "the stream arrived in bursts: TTFT and ITL are the gateway's"});
  return "";
}

Result<Candidates> read_candidates(sql::Database& database, const Question& question) {
  ORCH_ASSIGN(const Table table, read_rows(database, question));
  Candidates out;
  const Columns columns(table);
  Reader reader(question, columns, out);
  for (std::size_t row = 0; row < columns.rows(); ++row) reader.read(row);
  out.not_judged = parts_not_judged(question, columns);
  ORCH_TRY(add_invalid(database, question, out));
  return out;
}

std::string condition_of_points(std::span<const Candidate> rows) {
  std::map<std::string, std::string> points;  // by experiment
  for (const Candidate& row : rows) {
    std::string& list = points[row.experiment];
    list += (list.empty() ? "" : ", ") + sql::quote_text(row.point);
  }
  std::string out;
  for (const auto& [experiment, list] : points)
    out += fmt::format("{}(experiment = {} AND point IN ({}))", out.empty() ? "" : " OR ",
                       sql::quote_text(experiment), list);
  return out.empty() ? "0" : out;
}

}  // namespace orch::best
