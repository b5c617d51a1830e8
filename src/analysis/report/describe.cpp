#include "analysis/report/describe.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

namespace orch::report {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view k_names =
    "SELECT 0, name FROM point GROUP BY name UNION ALL SELECT 1, plan_id FROM run_stage GROUP BY "
    "plan_id";
constexpr std::size_t k_listed = 20;

Error ambiguous(const std::string& prefix, const std::vector<Named>& found) {
  std::string text = fmt::format(
      "'{}' is a prefix of {} names; write more characters of one:", prefix, found.size());
  for (std::size_t i = 0; i < found.size() && i < k_listed; ++i) text += "\n  " + found[i].name;
  if (found.size() > k_listed) text += fmt::format("\n  and {} more", found.size() - k_listed);
  return invalid(std::move(text));
}

json json_of(const sql::Cell& cell) {
  return std::visit(
      [](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, sql::Blob>)
          return json(nullptr);
        else return json(value);
      },
      cell);
}

// Every row of SQL as an object. A column whose name ends in _json has JSON; the key is the name
// without that suffix.
template <class... Args>
Result<json> objects(tables::Statements& statements, std::string_view sql, const Args&... args) {
  static constexpr std::string_view k_json = "_json";
  json out = json::array();
  const Status status = statements.rows(sql, args..., [&out](sql::Statement& row) {
    json object = json::object();
    for (int column = 0; column < row.column_count(); ++column) {
      std::string name = row.column_name(column);
      json value = json_of(row.cell(column));
      if (name.ends_with(k_json)) {
        name.erase(name.size() - k_json.size());
        if (value.is_string()) value = json::parse(value.get<std::string>(), nullptr, false);
      }
      object[name] = std::move(value);
    }
    out.push_back(std::move(object));
  });
  if (!status.ok()) return status.error();
  return out;
}

constexpr std::string_view k_point = R"(
SELECT p.name AS point, r.experiment AS experiment, p.run_id AS run, p.status AS planned,
  p.why AS why, p.parameters AS parameters_json
FROM point p JOIN run r ON r.id = p.run_id WHERE p.name = ?1
  AND p.id = (SELECT max(id) FROM point WHERE name = ?1))";

constexpr std::string_view k_requested_by =
    "SELECT r.experiment AS experiment, max(p.run_id) AS newest_run, count(*) AS runs FROM point p "
    "JOIN run r ON r.id = p.run_id WHERE p.name = ? GROUP BY r.experiment";

constexpr std::string_view k_measurements = R"(
SELECT m.id AS measurement, a.run_id AS run, s.repeat AS repeat, a.number AS attempt,
  m.valid AS valid, m.reasons AS reasons, m.warnings AS warnings,
  m.unsupported AS unsupported,
  strftime('%Y-%m-%dT%H:%M:%SZ', m.measured_at, 'unixepoch') AS measured_at,
  m.window_s AS window_s, m.load AS load_json,
  m.counting AS counting_json, json_extract(m.client, '$.scheduling') AS client_scheduling,
  json_extract(m.client, '$.cpus') AS client_cpus,
  json_extract(m.client, '$.cpus_why') AS client_cpus_why, m.path AS record
FROM measurement m JOIN attempt a ON a.id = m.attempt_id JOIN stage s ON s.id = m.stage_id
WHERE m.superseded = 0 AND m.stage_id IN (
  SELECT stage_id FROM point_stage WHERE point_id IN (SELECT id FROM point WHERE name = ?))
ORDER BY m.id DESC)";

constexpr std::string_view k_metrics =
    "SELECT name, mean, sd, min, max, p50, p90, p95, p99, p999, n, interval_low, interval_high "
    "FROM metric WHERE measurement_id = ? ORDER BY name";

constexpr std::string_view k_goodput =
    "SELECT expression, requests_per_s, good, of, left_out FROM goodput WHERE measurement_id = ? "
    "ORDER BY expression";

constexpr std::string_view k_chain = R"(
SELECT pr.stage AS stage, pr.kind AS kind, rs.state AS state, rs.state_why AS why,
  pr.command AS command_json, pr.env AS env_json, pr.digest AS digest,
  pr.made_by_run AS made_by_run,
  pr.attempt AS attempt, pr.started_at AS started_at, pr.wall_s AS wall_s,
    pr.tool_version AS tool_version, pr.artifact AS artifact,
  pr.artifact_digest AS artifact_digest, pr.artifact_bytes AS artifact_bytes,
    pr.orchestrate_version AS orchestrate_version, pr.machine AS machine_json
FROM provenance pr JOIN run_stage rs ON rs.run_id = pr.run AND rs.plan_id = pr.stage
WHERE pr.point = ? AND pr.run = ?)";

constexpr std::string_view k_stage = R"(
SELECT rs.plan_id AS stage, s.name AS name, s.kind AS kind, r.experiment AS experiment,
  rs.run_id AS run, rs.planned AS planned, rs.state AS state,
  CASE WHEN rs.state_why <> '' THEN rs.state_why ELSE rs.planned_why END AS why, s.repeat AS repeat,
    s.digest AS digest, s.parameters AS parameters_json,
  s.argv AS command_json, s.env AS env_json, s.components AS components_json,
    s.rendered AS rendered_json, s.id AS id
FROM run_stage rs JOIN stage s ON s.id = rs.stage_id JOIN run r ON r.id = rs.run_id
  WHERE rs.plan_id = ? ORDER BY rs.run_id DESC LIMIT 1)";

constexpr std::string_view k_attempts = R"(
SELECT a.number AS attempt, a.run_id AS run, a.ok AS ok, a.failure_class AS class,
  a.message AS message, a.exit_code AS exit_code, a.signal AS signal,
  strftime('%Y-%m-%dT%H:%M:%SZ', a.spawned_at, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_at, 'unixepoch') AS ended_at,
  a.wall_s AS wall_s, a.cpu_s AS cpu_s, a.max_rss_bytes AS max_rss_bytes,
    ss.start_s AS server_start_s, a.pid AS pid, a.argv AS command_json, a.env AS env_json,
  a.ports AS ports_json, a.log AS log, f.path AS artifact, f.digest AS artifact_digest,
    f.bytes AS artifact_bytes, f.files AS artifact_files, f.in_place AS in_place
FROM attempt a LEFT JOIN artifact f ON f.attempt_id = a.id
  LEFT JOIN service_session ss ON ss.attempt_id = a.id
WHERE a.stage_id = ? ORDER BY a.number DESC)";

constexpr std::string_view k_needs =
    "SELECT n.name AS name, (SELECT plan_id FROM run_stage WHERE stage_id = n.needs_id ORDER BY "
    "run_id DESC LIMIT 1) AS stage FROM stage_need n WHERE n.stage_id = ? ORDER BY n.name";
constexpr std::string_view k_points_of =
    "SELECT DISTINCT p.name AS point FROM point_stage ps JOIN point p ON p.id = ps.point_id WHERE "
    "ps.stage_id = ? ORDER BY p.name";

Result<json> metrics_of(tables::Statements& statements, std::int64_t measurement) {
  ORCH_ASSIGN(json rows, objects(statements, k_metrics, measurement));
  json out = json::object();
  for (json& row : rows) {
    const std::string name = row["name"];
    row.erase("name");
    for (auto it = row.begin(); it != row.end();)
      it = it->is_null() ? row.erase(it) : std::next(it);
    out[name] = row.size() == 1 && row.contains("mean") ? row["mean"] : row;
  }
  return out;
}

Result<json> point_json(tables::Statements& statements, const std::string& name) {
  ORCH_ASSIGN(json found, objects(statements, k_point, name));
  json point = std::move(found[0]);
  ORCH_ASSIGN(point["experiments"], objects(statements, k_requested_by, name));
  ORCH_ASSIGN(json measurements, objects(statements, k_measurements, name));
  for (json& each : measurements) {
    ORCH_ASSIGN(each["metrics"], metrics_of(statements, each["measurement"].get<std::int64_t>()));
    ORCH_ASSIGN(each["goodput"],
                objects(statements, k_goodput, each["measurement"].get<std::int64_t>()));
  }
  ORCH_ASSIGN(point["stages"],
              objects(statements, k_chain, name, point["run"].get<std::int64_t>()));
  point["measurements"] = std::move(measurements);
  return point;
}

Result<json> stage_json(tables::Statements& statements, const std::filesystem::path& root,
                        const std::string& name) {
  ORCH_ASSIGN(json found, objects(statements, k_stage, name));
  json stage = std::move(found[0]);
  const auto id = stage["id"].get<std::int64_t>();
  stage.erase("id");
  ORCH_ASSIGN(stage["needs"], objects(statements, k_needs, id));
  ORCH_ASSIGN(json points, objects(statements, k_points_of, id));
  stage["points"] = json::array();
  for (const json& point : points) stage["points"].push_back(point["point"]);
  ORCH_ASSIGN(stage["attempts"], objects(statements, k_attempts, id));
  for (json& attempt : stage["attempts"])
    for (const char* path : {"log", "artifact"})
      if (attempt[path].is_string())
        attempt[path] = (root / attempt[path].get<std::string>()).lexically_normal().string();
  return stage;
}

// --- for people

constexpr std::size_t k_digest_shown = 12;

std::string text_of(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return printable_line(value.get<std::string>());
  return dump(value);
}

std::string command_of(const json& argv) {
  std::vector<std::string> words;
  if (argv.is_array())
    for (const json& word : argv)
      words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  return printable_line(shell_quote(words));
}

std::string pairs_of(const json& object) {
  std::string out;
  if (!object.is_object()) return out;
  for (const auto& [key, value] : object.items())
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", key, text_of(value));
  return out;
}

// Appends "name: 4 min 05 s" if SECONDS are known.
void append_time(std::string& out, std::string_view name, const json& seconds) {
  if (seconds.is_number())
    out += fmt::format("  {}: {}\n", name, human_duration(seconds.get<double>()));
}

// Appends "name: value" unless the value is empty.
void append_field(std::string& out, std::string_view indent, std::string_view name,
                  const json& value) {
  if (value.is_null() || value == "" || (value.is_structured() && value.empty())) return;
  out += fmt::format("{}{}: {}\n", indent, name, text_of(value));
}

std::string human_size(const json& bytes) {
  return bytes.is_number_integer() ? human_bytes(bytes.get<std::uint64_t>()) : "-";
}

std::string attempt_text(const json& attempt) {
  const std::string outcome = attempt["ok"].is_null() ? "not ended"
                              : attempt["ok"] == 1    ? "ok"
                                                      : "failed: " + text_of(attempt["class"]);
  std::string out = fmt::format("\nattempt {} (run {}): {}\n", text_of(attempt["attempt"]),
                                text_of(attempt["run"]), outcome);
  append_field(out, "  ", "message", attempt["message"]);
  out += fmt::format("  command: {}\n", command_of(attempt["command"]));
  if (!attempt["env"].empty()) out += fmt::format("  env: {}\n", pairs_of(attempt["env"]));
  if (!attempt["ports"].empty()) out += fmt::format("  ports: {}\n", pairs_of(attempt["ports"]));
  for (const char* name : {"started_at", "ended_at"}) append_field(out, "  ", name, attempt[name]);
  append_time(out, "took", attempt["wall_s"]);
  append_time(out, "CPU time", attempt["cpu_s"]);
  append_time(out, "ready after", attempt["server_start_s"]);
  for (const char* name : {"exit_code", "signal", "log"})
    append_field(out, "  ", name, attempt[name]);
  if (attempt["max_rss_bytes"].is_number_integer())
    out += fmt::format("  peak memory: {}\n", human_size(attempt["max_rss_bytes"]));
  if (attempt["artifact"].is_string())
    out += fmt::format("  artifact: {} ({} files, {}, digest {})\n", text_of(attempt["artifact"]),
                       text_of(attempt["artifact_files"]), human_size(attempt["artifact_bytes"]),
                       text_of(attempt["artifact_digest"]));
  return out;
}

std::string stage_text(const json& stage, bool all) {
  std::string out = fmt::format("stage {} ({})\n  {} in run {} of {}", text_of(stage["stage"]),
                                text_of(stage["kind"]), text_of(stage["state"]),
                                text_of(stage["run"]), text_of(stage["experiment"]));
  out += stage["why"] == "" ? "\n" : fmt::format(": {}\n", text_of(stage["why"]));
  if (!stage["parameters"].empty())
    out += fmt::format("  parameters: {}\n", pairs_of(stage["parameters"]));
  out += fmt::format("  command: {}\n", command_of(stage["command"]));
  for (const json& need : stage["needs"])
    out += fmt::format("  needs: {}\n", text_of(need["stage"]));
  for (const json& point : stage["points"]) out += fmt::format("  for: {}\n", text_of(point));
  if (!all) {
    out +=
        fmt::format("  digest: {}, over {} components, which --all lists\n",
                    text_of(stage["digest"]).substr(0, k_digest_shown), stage["components"].size());
    for (const json& attempt : stage["attempts"]) out += attempt_text(attempt);
    return out;
  }
  out += fmt::format("  digest: {}, over\n", text_of(stage["digest"]));
  for (const json& component : stage["components"])
    if (component.is_array() && component.size() == 2)
      out += fmt::format("    {} = {}\n", text_of(component[0]), text_of(component[1]));
  for (const json& attempt : stage["attempts"]) out += attempt_text(attempt);
  return out;
}

}  // namespace

Result<Named> find_named(sql::Database& database, const std::string& prefix) {
  tables::Statements statements(database);
  std::vector<std::string> all;
  std::vector<Named> found;
  std::optional<Named> exact;
  ORCH_TRY(statements.rows(k_names, [&](sql::Statement& row) {
    const auto kind = row.column_int(0) == 0 ? Named::Kind::point : Named::Kind::stage;
    std::string name = row.column_text(1);
    if (name == prefix) exact = Named{kind, name};
    if (name.starts_with(prefix)) found.push_back({kind, name});
    all.push_back(std::move(name));
  }));
  if (exact) return *exact;
  if (found.size() > 1) return ambiguous(prefix, found);
  if (!found.empty()) return found.front();
  const std::string known =
      all.empty() ? "; nothing has been run in this store" : did_you_mean(prefix, all);
  return not_found(
      fmt::format("no point or stage is named '{}'{}; `orchestrate query \"select point "
                  "from results_all\"` and `orchestrate query stages` list them",
                  printable_line(prefix), known));
}

Result<std::vector<std::string>> names_beginning(sql::Database& database, const std::string& prefix,
                                                 std::size_t most) {
  const std::string sql = fmt::format(
      "SELECT name FROM (SELECT name FROM point UNION SELECT plan_id FROM run_stage) "
      "WHERE substr(name, 1, length(?1)) = ?1 ORDER BY 1 LIMIT {}",
      most);
  tables::Statements statements(database);
  return statements.texts(sql, prefix);
}

Result<std::vector<std::string>> run_numbers(sql::Database& database, std::size_t most) {
  tables::Statements statements(database);
  return statements.texts(fmt::format("SELECT id FROM run ORDER BY id DESC LIMIT {}", most));
}

Result<std::string> describe(sql::Database& database, const std::filesystem::path& root,
                             const Named& named, Shape shape, const PageOptions& page) {
  tables::Statements statements(database);
  const bool point = named.kind == Named::Kind::point;
  if (point && shape == Shape::text) return point_page(database, named.name, page);
  ORCH_ASSIGN(const json known, point ? point_json(statements, named.name)
                                      : stage_json(statements, root, named.name));
  if (shape == Shape::json) return dump(known, 1) + "\n";
  return stage_text(known, page.all);
}

}  // namespace orch::report
