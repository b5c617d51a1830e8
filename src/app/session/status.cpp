#include "app/session/status.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/query/table.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

namespace orch::report {

namespace {

// The status of a point follows from its measurements; a failed or skipped stage makes it failed.
// With --until the measurements may be idle: then the point is complete as far as requested, but
// not measured.
constexpr std::string_view k_points = R"(
SELECT CASE
  WHEN p.status = 'reject' THEN 'rejected'
  WHEN p.status = 'undecided' THEN 'undecided'
  WHEN max(rs.state IN ('failed', 'skipped')) THEN 'failed'
  WHEN max(rs.state = 'cancelled') THEN 'cancelled'
  WHEN min(rs.state = 'idle') THEN 'not measured'
  WHEN min(rs.state IN ('done', 'reused', 'idle')) THEN 'done'
  ELSE 'left' END
FROM point p LEFT JOIN point_stage ps ON ps.point_id = p.id
LEFT JOIN run_stage rs ON rs.run_id = p.run_id AND rs.stage_id = ps.stage_id
  AND ((SELECT kind FROM stage WHERE id = ps.stage_id) = 'measure'
    OR rs.state IN ('failed', 'skipped'))
WHERE p.run_id = ? GROUP BY p.id)";

constexpr std::string_view k_partly = R"(
SELECT count(*), measured, repeats FROM (
  SELECT sum(rs.state IN ('done', 'reused')) AS measured, count(*) AS repeats
  FROM point p JOIN point_stage ps ON ps.point_id = p.id
  JOIN stage s ON s.id = ps.stage_id AND s.kind = 'measure'
  JOIN run_stage rs ON rs.run_id = p.run_id AND rs.stage_id = ps.stage_id
  WHERE p.run_id = ? GROUP BY p.id)
WHERE measured > 0 AND measured < repeats GROUP BY measured, repeats ORDER BY measured, repeats)";

constexpr std::string_view k_working =
    R"(SELECT plan_id, state, changed_at,
  (SELECT process FROM attempt a
   WHERE a.stage_id = rs.stage_id AND a.ended_at IS NULL ORDER BY a.number DESC LIMIT 1)
FROM run_stage rs
WHERE run_id = ? AND state IN ('intent', 'starting', 'running', 'stopping', 'produced')
ORDER BY changed_at)";

// For each name of stages other than servers: how many have not finished, and the mean duration of
// the successful attempts of all stages with that name.
constexpr std::string_view k_left = R"(
SELECT count(*), (SELECT avg(a.wall_s) FROM attempt a JOIN stage other ON other.id = a.stage_id
  WHERE other.name = s.name AND a.ok = 1)
FROM run_stage rs JOIN stage s ON s.id = rs.stage_id
WHERE rs.run_id = ? AND rs.state IN ('planned', 'ready', 'waiting', 'intent', 'starting',
  'running')
  AND s.kind <> 'service' GROUP BY s.name)";

std::string first_line(const std::string& text) {
  return printable_line(text.substr(0, text.find('\n')));
}

Status read_run(tables::Statements& statements, const StatusQuestion& question, RunStatus& status) {
  bool found = false;
  ORCH_TRY(statements.rows(
      "SELECT id, experiment, command, strftime('%Y-%m-%dT%H:%M:%SZ', started_at, 'unixepoch'), "
      "coalesce(outcome, ''), id = (SELECT max(id) FROM run) FROM run "
      "WHERE id = coalesce(?, (SELECT max(id) FROM run))",
      question.run, [&](sql::Statement& row) {
        found = true;
        status.run = row.column_int(0);
        status.experiment = row.column_text(1);
        status.command = row.column_text(2);
        status.started_at = row.column_text(3);
        status.state = row.column_text(4);
        const bool alive = status.state.empty() && row.column_int(5) != 0 && question.holder;
        if (alive) status.holder = *question.holder;
        if (status.state.empty()) status.state = alive ? "running" : "died";
      }));
  if (found) return {};
  if (question.run)
    return not_found(
        fmt::format("no run {} in this store; `orchestrate query \"select * from run\"` lists them",
                    *question.run));
  return not_found("nothing has been run in this store yet");
}

Status read_left(tables::Statements& statements, RunStatus& status) {
  double seconds = 0;
  bool known = true;
  ORCH_TRY(statements.rows(k_left, status.run, [&](sql::Statement& row) {
    known = known && !row.column_null(1);
    seconds += static_cast<double>(row.column_int(0)) * row.column_real(1);
  }));
  if (known) status.left_s = seconds;
  return {};
}

std::string counts(const std::map<std::string, std::int64_t>& by_state) {
  std::string out;
  for (const auto& [state, count] : by_state)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, state);
  return out.empty() ? "none" : out;
}

nlohmann::ordered_json json_of(const slurm::ShownJob& job) {
  return {{"id", job.id},
          {"state", job.state},
          {"reason", job.reason},
          {"node", job.node},
          {"held", job.is_held()}};
}

std::string command_line(const std::string& argv) {
  const auto words = nlohmann::json::parse(argv, nullptr, false);
  if (!words.is_array()) return argv;
  std::vector<std::string> texts;
  for (const auto& word : words)
    if (word.is_string()) texts.push_back(word.get<std::string>());
  return shell_quote(texts);
}

// A stage with the same id has the same digest in every run, and therefore one row.
constexpr std::string_view k_columns =
    "SELECT rs.plan_id, a.number, a.ok, coalesce(a.failure_class, ''), a.log, a.ended_at IS NOT "
    "NULL, CASE WHEN EXISTS (SELECT 1 FROM measurement m WHERE m.attempt_id = a.id AND m.valid = "
    "0) THEN coalesce((SELECT f.class FROM failures f WHERE f.run = a.run_id AND f.stage = "
    "rs.plan_id AND f.attempt = a.number), 'invalid_measurement') END ";
constexpr std::string_view k_of_stage =
    "FROM (SELECT DISTINCT plan_id, stage_id FROM run_stage WHERE plan_id = ?) rs JOIN attempt a "
    "ON a.stage_id = rs.stage_id "
    "ORDER BY a.number DESC LIMIT 1";
constexpr std::string_view k_of_point =
    "FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run_stage rs ON rs.run_id = "
    "p.run_id AND rs.stage_id = ps.stage_id JOIN attempt a ON a.id = (SELECT id FROM attempt WHERE "
    "stage_id = ps.stage_id ORDER BY number DESC LIMIT 1) WHERE p.id = (SELECT max(id) FROM point "
    "WHERE name = ?) ORDER BY ps.place";

std::string state_of(const sql::Statement& row, bool& failed) {
  failed = false;
  if (row.column_null(2)) return "not ended";
  const bool is_invalid = !row.column_null(6);
  failed = row.column_int(2) == 0 || is_invalid;
  return failed ? "failed: " + row.column_text(is_invalid ? 6 : 3) : "done";
}

}  // namespace

Result<RunStatus> read_status(sql::Database& database, const StatusQuestion& question) {
  tables::Statements statements(database);
  RunStatus status;
  ORCH_TRY(read_run(statements, question, status));
  status.command = command_line(status.command);
  ORCH_TRY(statements.rows(k_points, status.run,
                           [&](sql::Statement& row) { ++status.points[row.column_text(0)]; }));
  ORCH_TRY(statements.rows(
      "SELECT state, count(*) FROM run_stage WHERE run_id = ? GROUP BY state", status.run,
      [&](sql::Statement& row) { status.stages[row.column_text(0)] = row.column_int(1); }));
  ORCH_TRY(statements.rows(k_partly, status.run, [&](sql::Statement& row) {
    status.partly.push_back({row.column_int(0), row.column_int(1), row.column_int(2)});
  }));
  ORCH_TRY(statements.rows(
      "SELECT stage, class, message, points FROM failures WHERE run = ? AND final = 1 ORDER BY "
      "stage",
      status.run, [&](sql::Statement& row) {
        status.failures.push_back({row.column_text(0), row.column_text(1),
                                   first_line(row.column_text(2)), row.column_int(3)});
      }));
  if (status.state != "running") return status;
  ORCH_TRY(statements.rows(k_working, status.run, [&](sql::Statement& row) {
    status.working.push_back(
        {row.column_text(0), row.column_text(1), std::max(0.0, question.now - row.column_real(2))});
    if (const auto job = question.jobs.find(row.column_text(3)); job != question.jobs.end())
      status.working.back().job = job->second;
  }));
  ORCH_TRY(read_left(statements, status));
  return status;
}

std::string status_text(const RunStatus& status) {
  std::string out = fmt::format(
      "run {} of {}: {}{}, started {}\n", status.run, printable_line(status.experiment),
      status.state, status.holder.empty() ? "" : " (" + status.holder + ")", status.started_at);
  out += fmt::format("  command: {}\n", printable_line(status.command));
  out +=
      fmt::format("  points:  {}\n  stages:  {}\n", counts(status.points), counts(status.stages));
  for (const auto& partly : status.partly)
    out += fmt::format("  partly:  {} with {} of {} repeats measured\n",
                       plural(partly.points, "point"), partly.measured, partly.repeats);
  for (const auto& working : status.working)
    out +=
        fmt::format("  now:     {} {} for {}{}\n", working.stage,
                    working.job && working.job->is_waiting() ? "queued" : working.state,
                    human_duration(working.for_s),
                    working.job ? fmt::format(" ({})", printable_line(working.job->text())) : "");
  for (const auto& failure : status.failures)
    out += fmt::format("  failed:  {} ({}, {}): {}\n", failure.stage,
                       failure.failure_class.empty() ? "not started" : failure.failure_class,
                       plural(failure.points, "point"), failure.message);
  if (status.left_s)
    out += fmt::format("  left:    about {} of work, one stage after the other\n",
                       human_duration(*status.left_s));
  if (status.state == "died" || status.state == "interrupted")
    out += "  to continue: orchestrate resume\n";
  return out;
}

std::string status_json(const RunStatus& status) {
  using json = nlohmann::ordered_json;
  json working = json::array(), failures = json::array(), partly = json::array();
  for (const auto& each : status.partly)
    partly.push_back(
        {{"points", each.points}, {"measured", each.measured}, {"repeats", each.repeats}});
  for (const auto& each : status.working)
    working.push_back({{"stage", each.stage},
                       {"state", each.state},
                       {"for_s", each.for_s},
                       {"job", each.job ? json_of(*each.job) : json(nullptr)}});
  for (const auto& each : status.failures)
    failures.push_back({{"stage", each.stage},
                        {"class", each.failure_class},
                        {"message", each.message},
                        {"points", each.points}});
  const json out = {{"run", status.run},
                    {"experiment", status.experiment},
                    {"state", status.state},
                    {"holder", status.holder.empty() ? json(nullptr) : json(status.holder)},
                    {"command", status.command},
                    {"started_at", status.started_at},
                    {"points", status.points},
                    {"partly_measured", partly},
                    {"stages", status.stages},
                    {"working", working},
                    {"failures", failures},
                    {"left_s", status.left_s ? json(*status.left_s) : json(nullptr)}};
  return dump(out, 1) + "\n";
}

Result<std::map<std::string, double>> mean_stage_seconds(sql::Database& database) {
  ORCH_ASSIGN(auto rows,
              database.prepare("SELECT s.name, avg(coalesce(ss.start_s, a.wall_s)) FROM attempt a "
                               "JOIN stage s ON s.id = a.stage_id "
                               "LEFT JOIN service_session ss ON ss.attempt_id = a.id WHERE a.ok = "
                               "1 OR ss.start_s IS NOT NULL GROUP BY s.name"));
  std::map<std::string, double> seconds;
  while (true) {
    ORCH_ASSIGN(const bool row, rows.step());
    if (!row) return seconds;
    seconds[rows.column_text(0)] = rows.column_real(1);
  }
}

Result<std::vector<StageLog>> logs_of(sql::Database& database, const std::filesystem::path& root,
                                      const Named& named) {
  tables::Statements statements(database);
  std::vector<StageLog> all, failed;
  const std::string sql = std::string(k_columns) +
                          std::string(named.kind == Named::Kind::stage ? k_of_stage : k_of_point);
  ORCH_TRY(statements.rows(sql, named.name, [&](sql::Statement& row) {
    bool has_failed = false;
    StageLog log{.stage = row.column_text(0),
                 .attempt = static_cast<int>(row.column_int(1)),
                 .state = state_of(row, has_failed),
                 .over = row.column_int(5) != 0,
                 .file = root / row.column_text(4)};
    auto& list = has_failed ? failed : all;
    const bool known =
        std::ranges::any_of(list, [&](const StageLog& other) { return other.file == log.file; });
    if (!known) list.push_back(std::move(log));
  }));
  if (!failed.empty()) return failed;
  if (all.empty())
    return not_found(fmt::format(
        "{} has not been started, so it has no log; `orchestrate show {}` gives the reason",
        named.name, named.name));
  return all;
}

}  // namespace orch::report
