#include "results/store/unfinished.hpp"

#include "core/base/fields_json.hpp"
#include "results/store/core.hpp"

namespace orch::store {

namespace {

using schedule::Unfinished;

// Of JSON in a column; empty where it is of another type.
template <class T> T parsed(const std::string& json) {
  T value{};
  const auto read = parse_value(json);
  if (read) static_cast<void>(assign(value, *read));
  return value;
}

// Fills in how often each measurement on the server that ran as attempt ID was attempted since.
Status read_measuring(Core& core, std::int64_t id, Unfinished& service) {
  ORCH_ASSIGN(
      const auto measured,
      core.statements.integer("SELECT count(DISTINCT m.attempt_id) FROM measurement m JOIN "
                              "service_session ss ON ss.id = m.session_id WHERE ss.attempt_id = ?",
                              id));
  service.measured = static_cast<int>(measured.value_or(0));
  return core.statements.rows(
      "SELECT (SELECT plan_id FROM run_stage WHERE stage_id = b.stage_id ORDER BY run_id DESC "
      "LIMIT 1), count(*) FROM attempt a "
      "JOIN stage_need n ON n.needs_id = a.stage_id JOIN attempt b ON b.stage_id = n.stage_id AND "
      "b.id > a.id JOIN stage s ON s.id = b.stage_id "
      "WHERE a.id = ? AND s.kind = 'measure' GROUP BY b.stage_id",
      [&](sql::Statement& row) {
        service.attempts[row.column_text(0)] = static_cast<int>(row.column_int(1));
      },
      id);
}

}  // namespace

Result<std::vector<Unfinished>> read_unfinished(Core& core) {
  std::vector<Unfinished> all;
  std::vector<std::int64_t> ids;
  ORCH_TRY(core.statements.rows(
      "SELECT a.id, coalesce((SELECT plan_id FROM run_stage WHERE run_id = a.run_id AND stage_id = "
      "a.stage_id LIMIT 1), ''), a.number, s.kind, a.token, "
      "  coalesce(nullif(a.process, ''), a.token), a.ports, a.log, coalesce(a.host, ''), "
      "coalesce(a.handle, ''), ss.ready_at IS NOT NULL, coalesce(a.gpus, '[]'), "
      "coalesce(a.cpus, '[]') "
      "FROM attempt a JOIN stage s ON s.id = a.stage_id LEFT JOIN service_session ss ON "
      "ss.attempt_id = a.id WHERE a.ended_at IS NULL AND a.run_id <> ? ORDER BY a.id",
      [&](sql::Statement& row) {
        ids.push_back(row.column_int(0));
        all.push_back(
            {.attempt = {row.column_text(1), static_cast<int>(row.column_int(2))},
             .kind = parse_name<runner::Kind>(row.column_text(3)).value_or(runner::Kind::task),
             .token = row.column_text(4),
             .process = row.column_text(5),
             .ports = parsed<std::map<std::string, int>>(row.column_text(6)),
             .gpus = parsed<std::vector<int>>(row.column_text(11)),
             .cpus = parsed<std::vector<int>>(row.column_text(12)),
             .log = row.column_text(7),
             .host = row.column_text(8),
             .handle = from_json_text<execute::Handle>(row.column_text(9)).to_optional(),
             .ready = row.column_int(10) != 0,
             .attempts = {}});
      },
      core.run_id));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == runner::Kind::service) ORCH_TRY(read_measuring(core, ids[i], all[i]));
  return all;
}

}  // namespace orch::store
