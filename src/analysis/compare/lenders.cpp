#include "analysis/compare/lenders.hpp"

#include "core/base/text.hpp"
#include "results/tables/statements.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace orch::compare {

namespace {

using Json = nlohmann::json;

constexpr std::size_t k_most_lenders = 200;

// The machine without what changes when it is started again.
std::string lender_machine(const std::string& facts) {
  Json parsed = Json::parse(facts, nullptr, false);
  if (!parsed.is_object()) return facts;
  parsed.erase("boot_id");
  return parsed.dump();
}

Result<std::vector<std::string>> lender_texts(tables::Statements& statements,
                                              const std::string& sql) {
  std::vector<std::string> out;
  ORCH_TRY(statements.rows(sql, [&](sql::Statement& row) { out.push_back(row.column_text(0)); }));
  return out;
}

// Numbers of runs by their machine.
Result<std::map<std::string, std::vector<std::int64_t>>> runs_by_machine(
    tables::Statements& statements) {
  std::map<std::string, std::vector<std::int64_t>> out;
  ORCH_TRY(statements.rows("SELECT r.id, h.facts FROM run r JOIN machine h ON h.id = r.machine_id",
                           [&](sql::Statement& row) {
                             out[lender_machine(row.column_text(1))].push_back(row.column_int(0));
                           }));
  return out;
}

// The runs of the one machine on which the servers of SESSIONS ran; empty if there are several.
Result<std::vector<std::int64_t>> runs_of_machine(tables::Statements& statements,
                                                  const std::string& sessions) {
  ORCH_ASSIGN(const auto runs,
              lender_texts(statements,
                           "SELECT DISTINCT a.run_id FROM service_session ss JOIN attempt "
                           "a ON a.id = ss.attempt_id WHERE ss.id IN (" +
                               sessions + ")"));
  ORCH_ASSIGN(const auto machines, runs_by_machine(statements));
  const std::vector<std::int64_t>* found = nullptr;
  for (const auto& [machine, of_machine] : machines) {
    const bool measured = std::ranges::any_of(of_machine, [&](std::int64_t run) {
      return std::ranges::find(runs, std::to_string(run)) != runs.end();
    });
    if (measured && found) return std::vector<std::int64_t>();
    if (measured) found = &of_machine;
  }
  return found ? *found : std::vector<std::int64_t>();
}

// The configuration of each measurement: the first measure stage that its point was asked with.
// Repeats of a configuration are further stages beside it.
Result<std::map<std::int64_t, std::int64_t>> configurations(tables::Statements& statements,
                                                            const std::string& sessions) {
  std::map<std::int64_t, std::int64_t> out;
  ORCH_TRY(statements.rows(
      fmt::format("SELECT m.id, min(ps.stage_id) FROM measurement m JOIN measurement_point mp ON "
                  "mp.measurement = m.id JOIN point_stage ps ON ps.point_id = mp.newest_point_id "
                  "JOIN stage s ON s.id = ps.stage_id AND s.kind = 'measure' WHERE m.session_id IN "
                  "({}) GROUP BY m.id",
                  sessions),
      [&](sql::Statement& row) { out[row.column_int(0)] = row.column_int(1); }));
  return out;
}

// Sessions with the same points of the same configuration.
std::vector<statistics::Sessions> groups_of(const std::vector<ObservedSession>& sessions) {
  std::map<std::set<std::string>, statistics::Sessions> groups;
  for (const ObservedSession& session : sessions) {
    std::set<std::string> points;
    for (const statistics::Observation& one : session.observations) points.insert(one.pair);
    groups[points].push_back(session.observations);
  }
  std::vector<statistics::Sessions> out;
  for (auto& [points, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string list_of(std::span<const std::int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// In ascending order; empty if a measurement has no server of ours.
Result<std::vector<std::string>> sessions_of_sides(tables::Statements& statements,
                                                   const std::string& measurements) {
  ORCH_ASSIGN(auto out, lender_texts(statements,
                                     "SELECT DISTINCT coalesce(session_id, 0) FROM measurement "
                                     "WHERE id IN (" +
                                         measurements + ") ORDER BY 1"));
  if (!out.empty() && out.front() == "0") out.clear();
  return out;
}

std::string of_sessions(const std::string& sessions) {
  return "measurement IN (SELECT id FROM measurement WHERE session_id IN (" + sessions + "))";
}

}  // namespace

Result<Lenders> Lenders::read(sql::Database& database, std::span<const std::int64_t> measurements,
                              std::span<const std::string> metrics) {
  Lenders out;
  tables::Statements statements(database);
  ORCH_ASSIGN(const auto sides, sessions_of_sides(statements, list_of(measurements)));
  if (sides.empty()) return out;
  const std::string compared = join(sides, ", ");
  ORCH_ASSIGN(const auto runners,
              lender_texts(statements, "SELECT DISTINCT runner FROM results_all WHERE " +
                                           of_sessions(compared)));
  ORCH_ASSIGN(const auto runs, runs_of_machine(statements, compared));
  if (runners.size() != 1 || runs.empty()) return out;
  ORCH_ASSIGN(const auto lenders,
              lender_texts(statements,
                           fmt::format("SELECT ss.id FROM service_session ss JOIN attempt a ON "
                                       "a.id = ss.attempt_id WHERE a.run_id IN ({}) AND ss.id NOT "
                                       "IN ({}) ORDER BY ss.id DESC LIMIT {}",
                                       list_of(runs), compared, k_most_lenders)));
  if (lenders.empty()) return out;
  const std::string sessions = join(lenders, ", ");
  ORCH_ASSIGN(out.selected_,
              select_measured(database,
                              fmt::format("runner = {} AND {}", sql::quote_text(runners.front()),
                                          of_sessions(sessions)),
                              metrics));
  ORCH_ASSIGN(out.configuration_, configurations(statements, sessions));
  return out;
}

std::vector<statistics::Sessions> Lenders::groups(std::size_t metric) const {
  if (selected_.rows.empty()) return {};
  const Observations observed =
      observations_of(selected_, metric, [&](const Measured& row) -> std::optional<std::string> {
        const auto at = configuration_.find(row.measurement);
        if (at == configuration_.end()) return {};
        return std::to_string(at->second);
      });
  return groups_of(observed.sessions);
}

std::optional<double> Lenders::largest(std::size_t metric) const {
  return statistics::largest_difference(groups(metric));
}

std::optional<statistics::LentSpread> Lenders::spread(std::size_t metric, double concentration,
                                                      statistics::Scale scale) const {
  auto lent = statistics::lent_spread(groups(metric), scale);
  if (lent) lent->sd *= std::sqrt(concentration);
  return lent;
}

}  // namespace orch::compare
