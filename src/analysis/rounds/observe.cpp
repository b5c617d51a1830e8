#include "analysis/rounds/observe.hpp"

#include "core/base/text.hpp"
#include "analysis/compare/observations.hpp"
#include "results/query/catalog.hpp"
#include "analysis/page/known_columns.hpp"

#include <algorithm>

namespace orch::rounds {

namespace {

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

Result<statistics::SessionDifference> observed_difference(sql::Database& database,
                                                          const Sides& sides, double level) {
  ORCH_ASSIGN(const auto a, sessions_of(database, sides, sides.a));
  ORCH_ASSIGN(const auto b, sessions_of(database, sides, sides.b));
  const compare::Matched matched = compare::matched(a, b);
  return statistics::session_difference(compare::sessions_of(matched.a),
                                        compare::sessions_of(matched.b), {.level = level});
}

Status check_metric(sql::Database* database, const std::string& metric) {
  if (report::known_metric(metric)) return {};
  std::vector<std::string> names;
  if (database) names = report::column_names(*database, "results_all");
  if (std::ranges::find(names, metric) != names.end()) return {};
  for (const report::KnownMetric& known : report::known_metrics()) names.emplace_back(known.name);
  const auto near = nearest(metric, names);
  return invalid(fmt::format("{} is no metric{}", quoted(metric),
                             near ? "; did you mean " + quoted(*near) + "?"
                                  : "; `orchestrate schema results` lists them"));
}

}  // namespace orch::rounds
