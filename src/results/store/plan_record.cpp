#include "results/store/plan_record.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/json_scan.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/tables/ingest.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;

StageContent content_of(const plan::Stage& stage) {
  return {.name = stage.spec.name,
          .kind = std::string(to_string(stage.spec.kind)),
          .parameters = json_text(parameters_of(stage.parameters)),
          .components = json_text(value_of(stage.components.list())),
          .argv = json_text(value_of(stage.spec.argv)),
          .env = json_text(value_of(stage.spec.env)),
          .rendered = json_text(value_of(stage.rendered)),
          .repeat = stage.repeat};
}

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
    ORCH_TRY(core.statements.rows(
        "SELECT id, recorded FROM stage WHERE digest = ?",
        [&](sql::Statement& row) {
          there = row.column_int(0);
          recorded = row.column_int(1) != 0;
        },
        *stage.digest));
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
        "changed_at) "
        "VALUES (?, ?, ?, ?, ?, ?, '', ?) ON CONFLICT (run_id, plan_id) DO UPDATE SET planned = "
        "excluded.planned, "
        "planned_why = excluded.planned_why, state = excluded.state, changed_at = "
        "excluded.changed_at "
        "WHERE state IN ('undecided', 'idle', 'planned', 'reject')",
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

}  // namespace

PlanRecord record_of(const plan::Plan& plan) {
  PlanRecord record;
  for (const plan::Stage& stage : plan.stages)
    record.stages.push_back(
        {.id = stage.id,
         .digest = stage.digest == Digest{} ? std::nullopt : std::optional(stage.digest.hex()),
         .planned = std::string(to_string(stage.status)),
         .why = stage.why,
         .needs = stage.needs});
  std::set<plan::StageId> checks;
  for (const plan::Stage& stage : plan.stages)
    if (stage.is_check) checks.insert(stage.id);
  for (const plan::PlannedPoint& planned : plan.points) {
    record.points.push_back({.name = planned.point.name,
                             .status = std::string(to_string(planned.status)),
                             .why = planned.why,
                             .parameters = json_text(parameters_of(planned.point.parameters)),
                             .stages = planned.stages});
    for (const plan::StageId& id : planned.stages)
      if (checks.contains(id)) record.points.back().checks.push_back(id);
  }
  record.content = [&plan](std::size_t i) -> Result<StageContent> {
    return content_of(plan.stages[i]);
  };
  return record;
}

std::string to_fact(const RunRecord& run) { return tagged_text("run", object_of(run)); }

std::string to_fact(const PlanRecord& plan, const std::map<std::size_t, StageContent>& made,
                    bool amended, double at) {
  List stages, points;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    List one = list_of(plan.stages[i]);
    if (const auto content = made.find(i); content != made.end())
      one.emplace_back(list_of(content->second));
    stages.emplace_back(std::move(one));
  }
  for (const PointRecord& point : plan.points) points.emplace_back(list_of(point));
  return tagged_text(amended ? "amended" : "planned",
                     {{"at", at}, {"stages", std::move(stages)}, {"points", std::move(points)}});
}

Result<RunRecord> parse_run(const Value& fact) { return from_tagged<RunRecord>(fact, "run"); }

Result<PlanFact> parse_plan(const Value& fact) try {
  const bool amended = tagged_as(fact, "amended").ok();
  ORCH_ASSIGN(const Value* said, tagged_as(fact, amended ? "amended" : "planned"));
  const auto member = [&](std::string_view key) {
    const Value* found = member_of(std::get<Object>(*said), key);
    return found ? *found : Value();
  };
  PlanFact out{.plan = {}, .amended = amended};
  constexpr std::size_t k_content = k_fields<StageRecord>.size();  // follows the other members
  std::map<std::size_t, StageContent> contents;
  const Value stages = member("stages");
  for (const Value& stage : std::get<List>(stages)) {
    ORCH_TRY(read_list(out.plan.stages.emplace_back(), stage));
    const auto& list = std::get<List>(stage);
    if (list.size() > k_content)
      ORCH_TRY(read_list(contents[out.plan.stages.size() - 1], list[k_content]));
  }
  if (!assign(out.at, member("at")) || !assign(out.plan.points, member("points")))
    return invalid("a point of a plan is of another form");
  out.plan.content = [contents = std::move(contents)](std::size_t i) -> Result<StageContent> {
    const auto found = contents.find(i);
    if (found == contents.end()) return invalid("no record describes a planned stage");
    return found->second;
  };
  return out;
} catch (const std::bad_variant_access&) {
  return invalid("a plan is of another form");
}

Result<PlanRows> write_run(Core& core, const RunRecord& run) {
  ORCH_ASSIGN(const std::int64_t machine, write_machine(core, run.info.machine));
  ORCH_TRY(mark_dead_runs(core, run.info.started_at));
  ORCH_TRY(core.statements.run(
      "INSERT INTO run (id, uid, experiment, runner, matrix_file, matrix_text, command, folder, "
      "version, machine_id, pid, started_at, goodput, runners) "
      "VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, nullif(?, ''), ?)",
      run.id, run.uid, run.experiment, run.runner, run.info.matrix_file, run.info.matrix_text,
      dump(json(run.info.command)), run.info.folder, run.info.version, machine, run.pid,
      run.info.started_at, run.info.goodput, dump(json(run.info.runners))));
  return PlanRows{.run_id = core.database.last_insert_id()};
}

Status write_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at) {
  rows.made.clear();
  ORCH_TRY(write_stages(core, plan, at, rows));
  return write_points(core, plan, rows);
}

Status amend_plan(Core& core, const PlanRecord& plan, PlanRows& rows, double at) {
  for (const char* sql :
       {"DELETE FROM point_stage WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)",
        "DELETE FROM point_wide WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)",
        "DELETE FROM point WHERE run_id = ?",
        "DELETE FROM run_stage WHERE run_id = ? AND state IN ('undecided', 'idle', 'planned', "
        "'reject')"})
    ORCH_TRY(core.statements.run(sql, rows.run_id));
  for (const char* sql : {"DELETE FROM stage_need WHERE stage_id IN (SELECT id FROM stage WHERE "
                          "digest IS NULL AND id NOT IN (SELECT stage_id FROM run_stage))",
                          "DELETE FROM stage WHERE digest IS NULL AND id NOT IN (SELECT stage_id "
                          "FROM run_stage) AND id NOT IN (SELECT needs_id FROM stage_need)"})
    ORCH_TRY(core.statements.run(sql));
  std::erase_if(rows.stages, [&](const auto& row) {
    const auto stage = core.statements.integer("SELECT id FROM stage WHERE id = ?", row.second);
    return stage && !*stage;
  });
  return write_plan(core, plan, rows, at);
}

}  // namespace orch::store
