#include "results/store/run_rows.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/json_scan.hpp"
#include "results/store/core.hpp"
#include "results/tables/ingest.hpp"

#include <cerrno>

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

// A plan that is being written.
struct PlanRows {
  std::int64_t run_id = 0;
  std::map<plan::StageId, std::int64_t> stages;
  RunRows::Contents made = {};
};

Result<std::int64_t> write_machine(Core& core, const std::map<std::string, std::string>& machine) {
  const std::string facts = dump(json(machine));
  const std::string digest = sha256(facts).hex();
  ORCH_TRY(core.statements.run(
      "INSERT INTO machine (digest, facts) VALUES (?, ?) ON CONFLICT DO NOTHING", digest, facts));
  ORCH_ASSIGN(const auto id,
              core.statements.integer("SELECT id FROM machine WHERE digest = ?", digest));
  return *id;
}

Status mark_dead_runs(Core& core, double at) {
  ORCH_TRY(core.statements.run(
      "UPDATE run_stage SET state = 'cancelled', state_why = 'the run died', changed_at = ? "
      "WHERE run_id IN (SELECT id FROM run WHERE outcome IS NULL) "
      "AND state IN ('planned', 'ready', 'waiting', 'intent', 'starting', 'running', 'stopping', "
      "'produced')",
      at));
  return core.statements.run("UPDATE run SET outcome = 'died' WHERE outcome IS NULL");
}

// The row of stage I of PLAN; inserted if no run has planned its digest before.
Result<std::int64_t> write_stage(Core& core, const PlanRecord& plan, std::size_t i,
                                 PlanRows& rows) {
  const StageRecord& stage = plan.stages[i];
  std::optional<std::int64_t> there;
  bool recorded = false;
  if (stage.digest)
    ORCH_TRY(core.statements.rows("SELECT id, recorded FROM stage WHERE digest = ?", *stage.digest,
                                  [&](sql::Statement& row) {
                                    there = row.column_int(0);
                                    recorded = row.column_int(1) != 0;
                                  }));
  if (there && recorded) return *there;
  ORCH_ASSIGN(StageContent content, plan.content(i));
  if (there) {
    ORCH_TRY(core.statements.run("UPDATE stage SET recorded = 1 WHERE id = ?", *there));
  } else {
    static const std::string k_insert =
        tables::insert_of("stage", "digest, recorded", k_fields<StageContent>);
    ORCH_ASSIGN(sql::Statement * insert, core.statements.get(k_insert));
    ORCH_TRY(insert->bind(1, stage.digest));
    ORCH_TRY(insert->bind(2, 1));
    int index = 3;
    ORCH_TRY(tables::bind_object(*insert, index, content));
    ORCH_TRY(insert->run());
    there = core.database.last_insert_id();
  }
  rows.made[i] = std::move(content);
  return *there;
}

// The first state of a stage. One that will not run has its planned status in place of a state of
// the scheduler.
std::string first_state(const std::string& planned) {
  return planned == "run" ? "planned" : planned == "reuse" ? "reused" : planned;
}

// The row of a stage that is past its initial states stays unchanged.
Status write_stages(Core& core, const PlanRecord& plan, double at, PlanRows& rows) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const StageRecord& stage = plan.stages[i];
    std::int64_t id = 0;
    if (const auto known = rows.stages.find(stage.id); known != rows.stages.end()) {
      id = known->second;
    } else {
      ORCH_ASSIGN(id, write_stage(core, plan, i, rows));
      rows.stages.emplace(stage.id, id);
    }
    ORCH_TRY(core.statements.run(
        "INSERT INTO run_stage (run_id, stage_id, plan_id, planned, planned_why, state, state_why, "
        "changed_at) VALUES (?, ?, ?, ?, ?, ?, '', ?) ON CONFLICT (run_id, plan_id) DO UPDATE SET "
        "planned = excluded.planned, planned_why = excluded.planned_why, state = excluded.state, "
        "changed_at = excluded.changed_at WHERE state IN ('undecided', 'idle', 'planned', "
        "'reject')",
        rows.run_id, id, stage.id, stage.planned, stage.why, first_state(stage.planned), at));
    for (const auto& [name, needed] : stage.needs) {
      const auto row = rows.stages.find(needed);
      if (row == rows.stages.end())
        return invalid(fmt::format("stage {} needs {}, which does not precede it in the plan",
                                   stage.id, needed));
      ORCH_TRY(
          core.statements.run("INSERT INTO stage_need (stage_id, name, needs_id) VALUES (?, ?, ?) "
                              "ON CONFLICT DO NOTHING",
                              id, name, row->second));
    }
  }
  return {};
}

sql::Cell cell_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::int64_t{value.get<bool>()};
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return std::monostate();
}

tables::Wide::Values values_of(const std::string& object) {
  tables::Wide::Values values;
  const json parsed = json::parse(object, nullptr, false);
  if (!parsed.is_object()) return values;
  for (const auto& [name, value] : parsed.items()) values.emplace_back(name, cell_of(value));
  return values;
}

Status write_points(Core& core, const PlanRecord& plan, const PlanRows& rows) {
  for (const PointRecord& planned : plan.points) {
    ORCH_TRY(core.statements.run(
        "INSERT INTO point (run_id, name, status, why, parameters) VALUES (?, ?, ?, ?, ?)",
        rows.run_id, planned.name, planned.status, planned.why, planned.parameters));
    const std::int64_t id = core.database.last_insert_id();
    ORCH_TRY(core.wide.put_point(id, values_of(planned.parameters)));
    int place = 0;
    for (const plan::StageId& stage : planned.stages) {
      const auto row = rows.stages.find(stage);
      if (row == rows.stages.end())
        return invalid(fmt::format("point {} names the stage {}, which is not in the plan",
                                   planned.name, stage));
      const bool is_check = std::ranges::find(planned.checks, stage) != planned.checks.end();
      ORCH_TRY(core.statements.run(
          "INSERT INTO point_stage (point_id, stage_id, place, is_check) VALUES (?, ?, ?, ?)", id,
          row->second, place++, is_check));
    }
  }
  return {};
}

// A digest over the paths and contents of all files, equal for attempts with the same output.
std::string content_digest(const std::vector<schedule::PublishedFile>& files) {
  Components components;
  for (const schedule::PublishedFile& file : files) components.add(file.path, file.sha256);
  return components.digest().hex();
}

}  // namespace

Result<RunRows> RunRows::begin(Core& core, const RunRecord& run) {
  ORCH_ASSIGN(const std::int64_t machine, write_machine(core, run.info.machine));
  ORCH_TRY(mark_dead_runs(core, run.info.started_at));
  ORCH_TRY(core.statements.run(
      "INSERT INTO run (id, uid, experiment, runner, matrix_file, matrix_text, command, folder, "
      "version, machine_id, pid, started_at, goodput, runners) "
      "VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, nullif(?, ''), ?)",
      run.id, run.uid, run.experiment, run.runner, run.info.matrix_file, run.info.matrix_text,
      dump(json(run.info.command)), run.info.folder, run.info.version, machine, run.pid,
      run.info.started_at, run.info.goodput, dump(json(run.info.runners))));
  const auto host = run.info.machine.find("host");
  return RunRows(core, core.database.last_insert_id(),
                 host == run.info.machine.end() ? "" : host->second);
}

Result<RunRows> begin_recorded_run(Core& core, RunRecord run, const PlanRecord& plan) {
  ORCH_ASSIGN(RunRows rows, RunRows::begin(core, run));
  const double at = run.info.started_at;
  ORCH_ASSIGN(const RunRows::Contents made, rows.write(plan, at));
  run.id = rows.run_id();
  core.records.add(run.file(), to_fact(run));
  core.records.add(run.file(), to_fact(plan, made, false, at));
  return rows;
}

Result<RunRows::Contents> RunRows::put(const PlanRecord& plan, Stages stages, double at) {
  PlanRows rows{.run_id = run_id_, .stages = std::move(stages)};
  ORCH_TRY(write_stages(*core_, plan, at, rows));
  ORCH_TRY(write_points(*core_, plan, rows));
  stages_ = std::move(rows.stages);
  return std::move(rows.made);
}

Result<RunRows::Contents> RunRows::write(const PlanRecord& plan, double at) {
  return put(plan, {}, at);
}

Result<RunRows::Contents> RunRows::amend(const PlanRecord& plan, double at) {
  tables::Statements& statements = core_->statements;
  for (const char* sql :
       {"DELETE FROM point_stage WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)",
        "DELETE FROM point_wide WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)",
        "DELETE FROM point WHERE run_id = ?",
        "DELETE FROM run_stage WHERE run_id = ? AND state IN ('undecided', 'idle', 'planned', "
        "'reject')"})
    ORCH_TRY(statements.run(sql, run_id_));
  for (const char* sql : {"DELETE FROM stage_need WHERE stage_id IN (SELECT id FROM stage WHERE "
                          "digest IS NULL AND id NOT IN (SELECT stage_id FROM run_stage))",
                          "DELETE FROM stage WHERE digest IS NULL AND id NOT IN (SELECT stage_id "
                          "FROM run_stage) AND id NOT IN (SELECT needs_id FROM stage_need)"})
    ORCH_TRY(statements.run(sql));
  Stages stages = stages_;
  std::erase_if(stages, [&](const auto& row) {
    const auto stage = statements.integer("SELECT id FROM stage WHERE id = ?", row.second);
    return stage && !*stage;
  });
  return put(plan, std::move(stages), at);
}

std::optional<std::int64_t> RunRows::find(const plan::StageId& stage) const {
  const auto row = stages_.find(stage);
  return row == stages_.end() ? std::nullopt : std::optional(row->second);
}

Result<std::int64_t> RunRows::stage_row(const plan::StageId& stage) const {
  const auto row = find(stage);
  if (!row)
    return Error{ErrorKind::internal,
                 fmt::format("stage {} is not in the plan of run {}", stage, run_id_)};
  return *row;
}

Result<std::int64_t> RunRows::attempt_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(attempt.stage));
  ORCH_ASSIGN(const auto id,
              core_->statements.integer("SELECT id FROM attempt WHERE stage_id = ? AND number = ?",
                                        stage, attempt.number));
  if (!id)
    return Error{ErrorKind::internal, fmt::format("attempt {} of stage {} was never recorded",
                                                  attempt.number, attempt.stage)};
  return *id;
}

Result<std::int64_t> RunRows::session_row(const schedule::AttemptKey& attempt) {
  ORCH_ASSIGN(const std::int64_t row, attempt_row(attempt));
  ORCH_TRY(core_->statements.run(
      "INSERT INTO service_session (attempt_id) VALUES (?) ON CONFLICT DO NOTHING", row));
  ORCH_ASSIGN(const auto id, core_->statements.integer(
                                 "SELECT id FROM service_session WHERE attempt_id = ?", row));
  return *id;
}

Status RunRows::write(const Finished& end) {
  return core_->statements.run("UPDATE run SET outcome = ?, ended_at = ? WHERE id = ?", end.outcome,
                               end.at, run_id_);
}

Status RunRows::write(const schedule::Event& event) {
  return std::visit([this](const auto& what) { return write_event(what); }, event);
}

Status RunRows::note(schedule::WallTime at, std::string_view kind,
                     const schedule::AttemptKey& attempt, const std::string& detail) {
  return core_->statements.run(
      "INSERT INTO event (run_id, sequence, at, kind, stage, attempt, detail) VALUES (?, ?, ?, ?, "
      "?, nullif(?, 0), ?)",
      run_id_, ++sequence_, at, kind, attempt.stage, attempt.number, detail);
}

Status RunRows::write_event(const schedule::StageMoved& event) {
  ORCH_TRY(stage_row(event.stage));
  ORCH_TRY(
      core_->statements
          .run(  // A stage completed by this run stays done, even if its amended plan reuses it.
              "UPDATE run_stage SET state = ?, state_why = ?, changed_at = ? WHERE run_id = ? AND "
              "plan_id = ? AND NOT (state = 'done' AND ? = 'reused')",
              to_string(event.to), event.why, event.at, run_id_, event.stage, to_string(event.to)));
  return note(
      event.at, "moved", {event.stage, 0},
      dump(json{{"from", to_string(event.from)}, {"to", to_string(event.to)}, {"why", event.why}}));
}

Status RunRows::write_event(const schedule::AttemptIntended& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  // A second intent with the same number and a different token is an error, because the token
  // identifies the attempt.
  ORCH_TRY(core_->statements.run(
      "INSERT INTO attempt (run_id, stage_id, number, token, process, host, argv, env, work, log, "
      "ports, gpus, cpus, tool_version, probe, intended_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (token) DO NOTHING",
      run_id_, stage, event.attempt.number, event.token, event.process, host_,
      dump(json(event.argv)), dump(json(event.env)), event.work, event.log, dump(json(event.ports)),
      event.gpus.empty() ? std::nullopt : std::optional(dump(json(event.gpus))),
      event.cpus.empty() ? std::nullopt : std::optional(dump(json(event.cpus))),
      event.tool_version.empty() ? std::nullopt : std::optional(event.tool_version),
      event.probe.empty() ? std::nullopt : std::optional(event.probe), event.at));
  return note(event.at, "intended", event.attempt, "{}");
}

Status RunRows::write_event(const schedule::AttemptSpawned& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  const system::Tree& tree = event.handle.tree;
  ORCH_TRY(core_->statements.run(
      "UPDATE attempt SET pid = ?, start_ticks = ?, boot_id = ?, containment = ?, handle = ?, "
      "spawned_at = ? WHERE id = ?",
      tree.leader.pid, tree.leader.start_ticks, tree.boot_id, to_string(tree.containment),
      to_json_text(event.handle), event.at, attempt));
  return note(event.at, "spawned", event.attempt, dump(json{{"pid", tree.leader.pid}}));
}

Status RunRows::write_event(const schedule::AttemptAdopted& event) {
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(const auto before,
              core_->statements.integer("SELECT run_id FROM attempt WHERE id = ? AND token = ?",
                                        attempt, event.token));
  if (!before)
    return Error{ErrorKind::internal,
                 fmt::format("attempt {} of stage {} has a token other than {}",
                             event.attempt.number, event.attempt.stage, event.token)};
  if (*before == run_id_) return {};
  ORCH_TRY(core_->statements.run(
      "UPDATE attempt SET run_id = ?, adopted_from = run_id WHERE id = ?", run_id_, attempt));
  return note(event.at, "adopted", event.attempt, dump(json{{"from_run", *before}}));
}

// Does not change the state of the stage: the stages of the dead run have already been cancelled.
Status RunRows::write_event(const schedule::AttemptLost& event) {
  schedule::AttemptKey key;
  ORCH_TRY(core_->statements.rows(
      "SELECT rs.plan_id, a.number FROM attempt a JOIN run_stage rs ON rs.run_id = a.run_id AND "
      "rs.stage_id = a.stage_id WHERE a.token = ? AND a.ended_at IS NULL",
      event.token, [&](sql::Statement& row) {
        key = {row.column_text(0), static_cast<int>(row.column_int(1))};
      }));
  if (key.stage.empty()) return {};
  ORCH_TRY(
      core_->statements.run("UPDATE attempt SET ok = 0, failure_class = 'lost', message = ?, "
                            "ended_at = ? WHERE token = ? AND ended_at IS NULL",
                            event.why, event.at, event.token));
  return note(event.at, "lost", key, dump(json{{"why", event.why}}));
}

Status RunRows::write_event(const schedule::ServiceReady& event) {
  ORCH_ASSIGN(const std::int64_t session, session_row(event.attempt));
  ORCH_TRY(
      core_->statements.run("UPDATE service_session SET ready_at = ?, start_s = ? WHERE id = ?",
                            event.at, event.start_s, session));
  return note(event.at, "ready", event.attempt, dump(json{{"start_s", event.start_s}}));
}

Status RunRows::write_event(const schedule::AttemptEnded& event) {
  static const std::string k_update =
      fmt::format("UPDATE attempt SET failure_kind = ?, {} WHERE id = ?",
                  tables::assignments_of(k_fields<schedule::AttemptEnded>));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(sql::Statement * update, core_->statements.get(k_update));
  ORCH_TRY(update->bind(1, event.ok ? std::nullopt : std::optional(to_string(event.kind))));
  int index = 2;
  ORCH_TRY(tables::bind_object(*update, index, event));
  ORCH_TRY(update->bind(index, attempt));
  ORCH_TRY(update->run());
  return note(event.at, "ended", event.attempt,
              dump(json{{"ok", event.ok}, {"class", event.failure_class}}));
}

Status RunRows::write_event(const schedule::ArtifactPublished& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  ORCH_ASSIGN(const auto there,
              core_->statements.integer("SELECT id FROM artifact WHERE attempt_id = ?", attempt));
  if (there) return {};
  std::uint64_t bytes = 0;
  for (const schedule::PublishedFile& file : event.files) bytes += file.bytes;
  ORCH_TRY(core_->statements.run(
      "INSERT INTO artifact (attempt_id, stage_id, path, in_place, absolute_path, digest, files, "
      "bytes, not_cacheable, published_at) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      attempt, stage, event.path, event.in_place, core_->layout.at(event.path).string(),
      content_digest(event.files), event.files.size(), bytes,
      event.not_cacheable.empty() ? std::nullopt : std::optional(event.not_cacheable), event.at));
  const std::int64_t id = core_->database.last_insert_id();
  for (const schedule::PublishedFile& file : event.files)
    ORCH_TRY(core_->statements.run(
        "INSERT INTO artifact_file (artifact_id, path, bytes, sha256) VALUES (?, ?, ?, ?)", id,
        file.path, file.bytes, file.sha256));
  return note(event.at, "published", event.attempt, dump(json{{"path", event.path}}));
}

Status RunRows::write_event(const schedule::MeasurementProduced& event) {
  ORCH_ASSIGN(const std::int64_t stage, stage_row(event.attempt.stage));
  ORCH_ASSIGN(const std::int64_t attempt, attempt_row(event.attempt));
  std::optional<std::int64_t> session;
  if (!event.session.stage.empty()) {
    ORCH_ASSIGN(session, session_row(event.session));
  }
  ORCH_ASSIGN(const auto newer,
              core_->statements.integer("SELECT 1 FROM attempt WHERE stage_id = ? AND number > ?",
                                        stage, event.attempt.number));
  const auto place = core_->layout.record(core_->host.files, event.path);
  auto record = record::read_record(core_->host.files, place);
  // Because of a transient disk error, record() may have returned the wrong place.
  if (!record.ok() && core_->layout.record(core_->host.files, event.path) != place)
    return io_error("read", place.string(), EIO);
  // An I/O error is not the measurement's fault: the next run reads the record again.
  if (!record.ok() && record.error().kind == ErrorKind::io) return record.error();
  // A record that cannot be read invalidates the measurement but does not fail the run.
  record::Record found =
      record.ok() ? std::move(record).value() : record::unreadable_record(record.error().text());
  ORCH_TRY(ingest(core_->host.files, core_->statements, core_->wide, std::move(found),
                  {.attempt_id = attempt,
                   .stage_id = stage,
                   .session_id = session,
                   .session_order = event.order,
                   .path = event.path,
                   .superseded = newer.has_value(),
                   .isolation = event.isolation,
                   .neighbours = fmt::format("{}", fmt::join(event.neighbours, " ")),
                   .measured_at = event.at}));
  return note(event.at, newer ? "superseded" : "measured", event.attempt,
              dump(json{{"path", event.path}}));
}

Status RunRows::write_event(const schedule::OutputRemoved& event) {
  for (const std::string& token : event.tokens)
    ORCH_TRY(write_removal(core_->statements, {.token = token, .at = event.at}));
  return note(event.at, "removed", {event.stage, 0}, "{}");
}

}  // namespace orch::store
