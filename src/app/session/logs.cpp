#include "app/session/logs.hpp"

#include "results/tables/statements.hpp"

namespace orch::report {

namespace {

// A stage of the same id has the same digest in every run, hence one row.
constexpr std::string_view k_columns =
    "SELECT rs.plan_id, a.number, a.ok, coalesce(a.failure_class, ''), a.log, a.ended_at IS NOT "
    "NULL, "
    "CASE WHEN EXISTS (SELECT 1 FROM measurement m WHERE m.attempt_id = a.id AND m.valid = 0) THEN "
    "coalesce((SELECT f.class FROM failures f WHERE f.run = a.run_id AND f.stage = rs.plan_id AND "
    "f.attempt = a.number), 'invalid_measurement') END ";
constexpr std::string_view k_of_stage =
    "FROM (SELECT DISTINCT plan_id, stage_id FROM run_stage WHERE plan_id = ?) rs JOIN attempt a "
    "ON a.stage_id = rs.stage_id "
    "ORDER BY a.number DESC LIMIT 1";
constexpr std::string_view k_of_point =
    "FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run_stage rs ON rs.run_id = "
    "p.run_id AND rs.stage_id = ps.stage_id "
    "JOIN attempt a ON a.id = (SELECT id FROM attempt WHERE stage_id = ps.stage_id ORDER BY number "
    "DESC LIMIT 1) "
    "WHERE p.id = (SELECT max(id) FROM point WHERE name = ?) ORDER BY ps.place";

std::string state_of(const sql::Statement& row, bool& failed) {
  failed = false;
  if (row.column_null(2)) return "not ended";
  const bool is_invalid = !row.column_null(6);
  failed = row.column_int(2) == 0 || is_invalid;
  return failed ? "failed: " + row.column_text(is_invalid ? 6 : 3) : "done";
}

}  // namespace

Result<std::vector<StageLog>> logs_of(sql::Database& database, const std::filesystem::path& root,
                                      const Named& named) {
  tables::Statements statements(database);
  std::vector<StageLog> all, failed;
  const std::string sql = std::string(k_columns) +
                          std::string(named.kind == Named::Kind::stage ? k_of_stage : k_of_point);
  ORCH_TRY(statements.rows(
      sql,
      [&](sql::Statement& row) {
        bool has_failed = false;
        StageLog log{.stage = row.column_text(0),
                     .attempt = static_cast<int>(row.column_int(1)),
                     .state = state_of(row, has_failed),
                     .over = row.column_int(5) != 0,
                     .file = root / row.column_text(4)};
        auto& list = has_failed ? failed : all;
        const bool known = std::ranges::any_of(
            list, [&](const StageLog& other) { return other.file == log.file; });
        if (!known) list.push_back(std::move(log));
      },
      named.name));
  if (!failed.empty()) return failed;
  if (all.empty())
    return Error{
        .kind = ErrorKind::not_found,
        .message = fmt::format(
            "{} has not been started, so it has no log; `orchestrate show {}` gives the reason",
            named.name, named.name),
        .where = {}};
  return all;
}

}  // namespace orch::report
