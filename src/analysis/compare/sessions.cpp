#include "analysis/compare/sessions.hpp"

#include "analysis/compare/observations.hpp"
#include "analysis/report/digits.hpp"
#include "core/base/text.hpp"
#include "core/sql/query_guard.hpp"
#include "results/query/query.hpp"
#include "results/query/table.hpp"
#include "results/tables/statements.hpp"

#include <cctype>
#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace orch::compare {

namespace {

using report::Table;

// A row being read.
struct ReadRow : Measured {
  std::string warnings;
};

using Member = std::variant<std::int64_t ReadRow::*, std::optional<std::int64_t> ReadRow::*,
                            bool ReadRow::*, double ReadRow::*, std::string ReadRow::*>;

// A member of ReadRow and the SQL that it is read from. Columns of `results_all` are read by their
// number in view_columns(), because a parameter may have the same name.
struct RowField {
  Member member;
  std::string_view sql;
};
constexpr RowField k_row_fields[] = {
    {&ReadRow::measurement, "m.id"},
    {&ReadRow::identity,
     "(SELECT uid FROM run WHERE id = a.run_id) || ' ' || a.token || ' ' || m.ordinal"},
    {&ReadRow::run, "a.run_id"},
    {&ReadRow::session, "m.session_id"},
    {&ReadRow::experiment, "r.\"#1\""},
    {&ReadRow::point, "r.\"#2\""},
    {&ReadRow::stage, "m.stage_id"},
    {&ReadRow::imported, "(SELECT runner = 'import' FROM run WHERE id = a.run_id)"},
    {&ReadRow::valid, "m.valid"},
    {&ReadRow::retried,
     "m.valid = 0 AND EXISTS (SELECT 1 FROM measurement v WHERE v.stage_id = m.stage_id AND "
     "v.ordinal = m.ordinal AND v.valid = 1 AND v.superseded = 0)"},
    {&ReadRow::current,
     "EXISTS (SELECT 1 FROM point_result p JOIN result_measurement rm ON rm.result_id = p.id JOIN "
     "measurement o ON o.id = rm.measurement_id WHERE p.experiment = r.\"#1\" AND p.point = "
     "r.\"#2\" AND o.stage_id = m.stage_id)"},
    {&ReadRow::shown,
     "EXISTS (SELECT 1 FROM point_result p JOIN result_measurement rm ON rm.result_id = p.id WHERE "
     "p.experiment = r.\"#1\" AND p.point = r.\"#2\" AND rm.measurement_id = m.id)"},
    {&ReadRow::warnings, "m.warnings"},
    {&ReadRow::reasons, "m.reasons"},
    {&ReadRow::unsupported, "m.unsupported"},
    {&ReadRow::begun_at,
     "coalesce(m.window_start_ns / 1e9, coalesce(m.measured_at, 0) - coalesce(m.window_s, 0))"},
    {&ReadRow::ended_at, "m.measured_at"},
    {&ReadRow::server_began_at, "served.spawned_at"},
};

// NULL leaves MEMBER unchanged.
void set(ReadRow& row, const Member& member, const sql::Cell& cell) {
  std::visit(
      [&](auto at) {
        auto& value = row.*at;
        using T = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) value = report::exact_text(cell);
        else if (const auto real = report::real_of(cell)) value = static_cast<T>(*real);
      },
      member);
}

std::vector<std::string> parameters_of(sql::Database& database) {
  const std::vector<std::string> stated =
      report::first_column(database, "SELECT name FROM wide_column WHERE parameter = 1");
  std::set<std::string> names(stated.begin(), stated.end());
  names.insert({"runner", "tool"});
  return report::parameters_in_order(names);
}

// Whether METRIC is SQL: names of columns have only letters, digits and '_'.
bool is_expression(const std::string& metric) {
  return std::ranges::any_of(metric,
                             [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
}

// The number of columns before the parameters in view_columns(): measurement, experiment, point.
constexpr std::size_t k_own_columns = 3;

// The columns of `results_all` as "#0", "#1", ...; NULL for a metric that the store lacks.
std::string view_columns(sql::Database& database, const Selected& selected) {
  const std::vector<std::string> present = report::column_names(database, "results_all");
  std::string out = R"(measurement AS "#0", experiment AS "#1", point AS "#2")";
  std::size_t at = k_own_columns;
  const auto add = [&](const std::string& name) {
    const bool is_present = std::ranges::find(present, name) != present.end();
    const std::string value = is_present            ? sql::quote_name(name)
                              : is_expression(name) ? "(" + name + "\n)"
                                                    : "NULL";
    out += fmt::format(", {} AS \"#{}\"", value, at++);
  };
  for (const std::string& name : selected.parameters) add(name);
  for (const std::string& name : selected.metrics) add(name);
  return out;
}

// Checks WHERE alone: within the whole statement an error would be about more than WHERE, and a
// text that is more than one expression could change the statement.
Status check_where(sql::Database& database, const std::string& where) {
  if (where.empty()) return {};
  const auto alone =
      report::select(database, "SELECT 1 FROM results_all WHERE " + where + "\nLIMIT 0");
  return alone ? Status() : Status(alone.error());
}

std::string selecting(sql::Database& database, const Selected& selected, const std::string& where) {
  std::string out = "SELECT ";
  for (const RowField& field : k_row_fields) out += fmt::format("{}, ", field.sql);
  for (std::size_t i = 0; i < selected.parameters.size() + selected.metrics.size(); ++i)
    out += fmt::format("{}r.\"#{}\"", i ? ", " : "", k_own_columns + i);
  out += fmt::format(" FROM (SELECT {} FROM results_all", view_columns(database, selected));
  // The newline ends a comment in the condition.
  if (!where.empty()) out += " WHERE (" + where + "\n)";
  out += R"() r JOIN measurement m ON m.id = r."#0" JOIN attempt a ON a.id = m.attempt_id
LEFT JOIN service_session ss ON ss.id = m.session_id
LEFT JOIN attempt served ON served.id = ss.attempt_id)";
  if (!sql::names_identifier(where, "definition")) out += " WHERE m.definition = m.tool";
  return out + " ORDER BY m.measured_at, m.id, r.\"#1\", r.\"#2\"";
}

Measured measured_of(const Selected& selected, std::span<const sql::Cell> cells) {
  ReadRow out;
  for (std::size_t i = 0; i < std::size(k_row_fields); ++i)
    set(out, k_row_fields[i].member, cells[i]);
  out.disturbed = report::tells_disturbance(out.warnings);
  out.bursts = report::tells_bursts(out.warnings);
  cells = cells.subspan(std::size(k_row_fields));
  for (const sql::Cell& cell : cells.first(selected.parameters.size()))
    out.parameters.push_back(report::exact_text(cell));
  for (const sql::Cell& cell : cells.subspan(selected.parameters.size()))
    out.values.push_back(report::real_of(cell));
  return out;
}

constexpr std::size_t k_most_lenders = 200;

// The facts of the machine except those that change at a reboot.
std::string lender_machine(const std::string& facts) {
  auto parsed = nlohmann::json::parse(facts, nullptr, false);
  if (!parsed.is_object()) return facts;
  parsed.erase("boot_id");
  return parsed.dump();
}

// The ids of runs, by their machine.
Result<std::map<std::string, std::vector<std::int64_t>>> runs_by_machine(
    tables::Statements& statements) {
  std::map<std::string, std::vector<std::int64_t>> out;
  ORCH_TRY(statements.rows("SELECT r.id, h.facts FROM run r JOIN machine h ON h.id = r.machine_id",
                           [&](sql::Statement& row) {
                             out[lender_machine(row.column_text(1))].push_back(row.column_int(0));
                           }));
  return out;
}

// The runs on the machine on which the servers of SESSIONS ran; empty if they ran on several
// machines.
Result<std::vector<std::int64_t>> runs_of_machine(tables::Statements& statements,
                                                  const std::string& sessions) {
  ORCH_ASSIGN(const auto runs,
              statements.texts("SELECT DISTINCT a.run_id FROM service_session ss JOIN attempt "
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

// The configuration of each measurement: the first measure stage with which its point was
// requested. Repeats of a configuration are additional stages beside it.
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

// The sessions of MEASUREMENTS, sorted; empty if we did not start the server of one.
Result<std::vector<std::string>> sessions_of_sides(tables::Statements& statements,
                                                   const std::string& measurements) {
  ORCH_ASSIGN(auto out, statements.texts("SELECT DISTINCT coalesce(session_id, 0) FROM measurement "
                                         "WHERE id IN (" +
                                         measurements + ") ORDER BY 1"));
  if (!out.empty() && out.front() == "0") out.clear();
  return out;
}

std::string of_sessions(const std::string& sessions) {
  return "measurement IN (SELECT id FROM measurement WHERE session_id IN (" + sessions + "))";
}

}  // namespace

Result<Selected> select_measured(sql::Database& database, const std::string& where,
                                 std::span<const std::string> metrics) {
  Selected out;
  out.parameters = parameters_of(database);
  out.metrics.assign(metrics.begin(), metrics.end());
  if (std::ranges::find(out.parameters, "measurement") != out.parameters.end())
    return invalid(
        "a parameter of this store is named 'measurement', which hides the number of a measurement "
        "in results_all: rename it in the matrix");
  ORCH_TRY(check_where(database, where));
  ORCH_ASSIGN(const Table table, report::select(database, selecting(database, out, where)));
  for (const auto& row : table.rows) out.rows.push_back(measured_of(out, row));
  return out;
}

Result<Lenders> Lenders::read(sql::Database& database, std::span<const std::int64_t> measurements,
                              std::span<const std::string> metrics) {
  Lenders out;
  tables::Statements statements(database);
  ORCH_ASSIGN(const auto sides, sessions_of_sides(statements, list_of(measurements)));
  if (sides.empty()) return out;
  const std::string compared = join(sides, ", ");
  ORCH_ASSIGN(
      const auto runners,
      statements.texts("SELECT DISTINCT runner FROM results_all WHERE " + of_sessions(compared)));
  ORCH_ASSIGN(const auto runs, runs_of_machine(statements, compared));
  if (runners.size() != 1 || runs.empty()) return out;
  ORCH_ASSIGN(const auto lenders, statements.texts(fmt::format(
                                      "SELECT ss.id FROM service_session ss JOIN attempt a ON "
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
