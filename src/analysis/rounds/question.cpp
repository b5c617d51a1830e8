#include "analysis/rounds/question.hpp"

#include "analysis/compare/observations.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"

#include <cmath>

namespace orch::rounds {

namespace {

using matrix::Point;

constexpr double k_usual_size = 0.03;
constexpr std::string_view k_against = " against ";

std::string label_of(const matrix::Settings& sets) {
  if (sets.size() == 1) return sets.front().second.text;
  std::vector<std::string> parts;
  for (const auto& [name, value] : sets) parts.push_back(name + " " + value.text);
  return join(parts, ", ");
}

Side side_of(const matrix::Settings& sets) { return {label_of(sets), sql_of(sets)}; }

// An axis of the matrix, or a parameter that an axis sets, with two of its values.
struct Found {
  std::string axis;
  std::vector<Side> sides;
};

// Every axis that has the values A and B.
std::vector<Found> axes_with(const matrix::Matrix& matrix, std::string_view a, std::string_view b) {
  std::vector<std::string> names = matrix::varied_parameters(matrix);
  for (const matrix::Axis& axis : matrix.axes)
    if (std::ranges::find(names, axis.name) == names.end()) names.push_back(axis.name);
  std::vector<Found> found;
  for (const std::string& name : names) {
    const auto values = matrix::alternatives_of(matrix, name);
    const auto labelled = [&](std::string_view label) {
      return std::ranges::find_if(values, [&](const matrix::Settings& sets) {
        return !sets.empty() && label_of(sets) == label;
      });
    };
    const auto first = labelled(a), second = labelled(b);
    if (first != values.end() && second != values.end())
      found.push_back({name, {side_of(*first), side_of(*second)}});
  }
  return found;
}

Result<std::vector<Side>> sides_of(const matrix::Matrix& matrix, std::string_view resolve) {
  const auto at = resolve.find(k_against);
  const std::string_view a = trim(resolve.substr(0, at));
  const std::string_view b =
      at == std::string_view::npos ? "" : trim(resolve.substr(at + k_against.size()));
  if (a.empty() || b.empty() || b.find(k_against) != std::string_view::npos)
    return invalid(
        fmt::format("--resolve is {}; write two sides, such as \"f16 against q8_0\" or "
                    "\"tp = 1 against tp = 2\"",
                    quoted(resolve)));
  if (a == b) return invalid(fmt::format("--resolve has {} on both sides", quoted(a)));
  std::vector<Found> found = axes_with(matrix, a, b);
  if (found.size() == 1) return std::move(found.front().sides);
  if (found.empty())
    return std::vector<Side>{{std::string(a), std::string(a)}, {std::string(b), std::string(b)}};
  std::vector<std::string> axes;
  for (const Found& one : found) axes.push_back(one.axis);
  return invalid(
      fmt::format("--resolve: {} and {} are values of {}; write \"{} = {} against {} = {}\"",
                  quoted(a), quoted(b), join(axes, " and "), axes.front(), a, axes.front(), b));
}

std::string text_of(const Point& point, const std::string& parameter) {
  const matrix::Value* value = point.parameters.find(parameter);
  return value ? value->text : "";
}

std::vector<Point> chosen_of(const std::vector<Point>& points) {
  std::vector<Point> chosen;
  for (const Point& point : points)
    if (point.again && !point.is_rejected()) chosen.push_back(point);
  return chosen;
}

// Whether no two sides share a value of PARAMETER.
bool differs(const std::vector<std::vector<Point>>& sides, const std::string& parameter) {
  std::set<std::string> seen;
  for (const auto& side : sides) {
    std::set<std::string> own;
    for (const Point& point : side) own.insert(text_of(point, parameter));
    for (const std::string& value : own)
      if (!seen.insert(value).second) return false;
  }
  return true;
}

std::string where_of(const std::string& experiment, const PairOfPoint& side) {
  std::vector<std::string> names;
  for (const auto& [point, pair] : side) names.push_back(sql::quote_text(point));
  return fmt::format("experiment = {} AND point IN ({})", sql::quote_text(experiment),
                     join(names, ", "));
}

Result<std::vector<compare::ObservedSession>> sessions_of(sql::Database& database,
                                                          const Sides& sides,
                                                          const PairOfPoint& side) {
  const std::vector<std::string> metrics = {sides.metric};
  ORCH_ASSIGN(const compare::Selected selected,
              compare::select_measured(database, where_of(sides.experiment, side), metrics));
  const auto pair_of = [&side](const compare::Measured& row) -> std::optional<std::string> {
    const auto found = side.find(row.point);
    if (found == side.end()) return {};
    return found->second;
  };
  return compare::rounds_of(
      compare::observations_of(selected, 0, pair_of, {.older_too = false}).sessions);
}

}  // namespace

std::string sql_of(const matrix::Settings& sets) {
  std::vector<std::string> all;
  for (const auto& [name, value] : sets) {
    const std::string column = sql::quote_name(name);
    std::string any = column + " = " + sql::quote_text(value.text);
    // A number or truth value in a column does not equal its text, so it is compared as well.
    if (const auto number = to_real(value.text); number && std::isfinite(*number))
      any += " OR " + column + " = " + value.text;
    else if (value.text == "true" || value.text == "false")
      any += " OR " + column + " = " + value.text;
    all.push_back("(" + any + ")");
  }
  return join(all, " AND ");
}

std::optional<double> seconds_of(std::string_view text) {
  double seconds = 0;
  while (!(text = trim(text)).empty()) {
    const auto digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos) return {};
    const auto number = to_real(text.substr(0, digits));
    static constexpr std::pair<char, double> k_units[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const auto* unit =
        std::ranges::find_if(k_units, [&](const auto& one) { return one.first == text[digits]; });
    if (!number || unit == std::end(k_units)) return {};
    seconds += *number * unit->second;
    text.remove_prefix(digits + 1);
  }
  if (seconds > 0) return seconds;
  return {};
}

Result<std::optional<Question>> question_of(const matrix::Matrix& matrix, const Asked& asked) {
  const auto& until = matrix.measure.until_difference;
  if (asked.resolve.empty() && !until) {
    if (asked.budget_s || asked.most || !asked.size.empty() || !asked.metric.empty())
      return invalid(
          "--budget, --size, --of and --most-sessions belong to a comparison; add --resolve \"A "
          "against B\", or measure.until_difference to the matrix");
    return std::optional<Question>();
  }
  Question question;
  question.metric = !asked.metric.empty() ? asked.metric
                    : until               ? until->metric
                                          : std::string(metric::output_tps);
  question.most =
      asked.most.value_or(until ? until->most_sessions : matrix::UntilDifference().most_sessions);
  question.size = until ? until->size : k_usual_size;
  if (!asked.size.empty()) {
    const auto share = matrix::share_of_percent(asked.size);
    if (!share)
      return invalid(fmt::format("--size is {}; write a share above 0 and below 100 %, such as 3%",
                                 quoted(asked.size)));
    question.size = *share;
  }
  if (!asked.resolve.empty()) {
    ORCH_ASSIGN(question.sides, sides_of(matrix, asked.resolve));
  } else {
    for (const matrix::Settings& sets : matrix::alternatives_of(matrix, until->between))
      question.sides.push_back(side_of(sets));
  }
  return std::optional<Question>(std::move(question));
}

Result<Points> points_of(const Question& question, const matrix::Matrix& matrix,
                         std::span<const std::vector<Point>> expansions) {
  std::vector<std::vector<Point>> sides;
  std::map<std::string, std::size_t> side_of;
  for (std::size_t side = 0; side < question.sides.size(); ++side) {
    const std::string& label = question.sides[side].label;
    sides.push_back(chosen_of(expansions[side]));
    if (sides.back().empty())
      return invalid(
          fmt::format("no runnable point of the matrix matches {}; `orchestrate plan` "
                      "lists the points",
                      quoted(label)));
    for (const Point& point : sides.back())
      if (const auto [at, is_new] = side_of.emplace(point.name, side); !is_new)
        return invalid(
            fmt::format("point {} belongs to {} as well as {}; sides may not share a point",
                        point.name, quoted(question.sides[at->second].label), quoted(label)));
  }
  Points points;
  for (const std::string& parameter : matrix::varied_parameters(matrix))
    if (!differs(sides, parameter)) points.paired_by.push_back(parameter);
  for (const auto& side : sides) {
    PairOfPoint& pairs = points.sides.emplace_back();
    for (const Point& point : side) {
      std::vector<std::string> values;
      for (const std::string& parameter : points.paired_by)
        values.push_back(parameter + "=" + text_of(point, parameter));
      pairs.emplace(point.name, join(values, " "));
    }
  }
  return points;
}

Result<statistics::SessionDifference> observed_difference(sql::Database& database,
                                                          const Sides& sides, double level) {
  ORCH_ASSIGN(const auto a, sessions_of(database, sides, sides.a));
  ORCH_ASSIGN(const auto b, sessions_of(database, sides, sides.b));
  const compare::Matched matched = compare::matched(a, b);
  return statistics::session_difference(compare::sessions_of(matched.a),
                                        compare::sessions_of(matched.b), {.level = level});
}

Status check_metric(sql::Database* database, const std::string& metric) {
  if (measure::reported_metric(metric)) return {};
  std::vector<std::string> names;
  if (database) names = report::column_names(*database, "results_all");
  if (std::ranges::find(names, metric) != names.end()) return {};
  for (const measure::MetricRow* known : measure::metrics_in(&measure::Lists::report))
    names.emplace_back(known->name);
  const auto near = nearest(metric, names);
  return invalid(fmt::format("{} is not a metric{}", quoted(metric),
                             near ? "; did you mean " + quoted(*near) + "?"
                                  : "; `orchestrate schema views results` lists them"));
}

}  // namespace orch::rounds
