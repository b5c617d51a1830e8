#include "store/plan_rows.hpp"

#include "base/json_text.hpp"
#include "store/core.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

namespace orch::store {

namespace {

using nlohmann::json;

json json_of(const matrix::Value& value) {
  return std::visit([](const auto& typed) { return json(typed); }, matrix::typed(value));
}

template <class Values>
json json_of_values(const Values& parameters) {
  json object = json::object();
  for (const auto& [name, value] : parameters) object[name] = json_of(value);
  return object;
}

json json_of(const Components& components) {
  json list = json::array();
  for (const Component& component : components.list()) list.push_back({component.name, component.value});
  return list;
}

Result<std::int64_t> write_machine(Core& core, const std::map<std::string, std::string>& machine) {
  const std::string facts = dump(json(machine));
  const std::string digest = sha256(facts).hex();
  ORCH_TRY(core.statements.run("INSERT INTO machine (digest, facts) VALUES (?, ?) ON CONFLICT DO NOTHING", digest, facts));
  ORCH_ASSIGN(const auto id, core.statements.integer("SELECT id FROM machine WHERE digest = ?", digest));
  return *id;
}

Result<std::int64_t> write_run(Core& core, const plan::Plan& plan, const RunInfo& info) {
  ORCH_ASSIGN(const std::int64_t machine, write_machine(core, info.machine));
  ORCH_TRY(core.statements.run("UPDATE run SET outcome = 'died' WHERE outcome IS NULL"));
  ORCH_TRY(core.statements.run("INSERT INTO run (uid, experiment, runner, matrix_file, matrix_text, command, version, machine_id, pid, started_at) "
                               "VALUES (lower(hex(randomblob(16))), ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               plan.matrix_name, plan.runner, info.matrix_file, info.matrix_text, dump(json(info.command)), info.version, machine,
                               static_cast<int>(getpid()), info.started_at));
  return core.database.last_insert_id();
}

// The row of STAGE, made when no run has asked for that digest before.
Result<std::int64_t> write_stage(Core& core, const plan::Stage& stage) {
  const bool known = stage.digest != Digest{};
  const std::optional<std::string> digest = known ? std::optional(stage.digest.hex()) : std::nullopt;
  if (known) {
    ORCH_ASSIGN(const auto there, core.statements.integer("SELECT id FROM stage WHERE digest = ?", *digest));
    if (there) return *there;
  }
  ORCH_TRY(core.statements.run("INSERT INTO stage (digest, name, kind, parameters, components, argv, env, rendered, repeat) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               digest, stage.spec.name, runner::to_string(stage.spec.kind), dump(json_of_values(stage.parameters)),
                               dump(json_of(stage.components)), dump(json(stage.spec.argv)), dump(json(stage.spec.env)), dump(json(stage.rendered)),
                               stage.repeat));
  return core.database.last_insert_id();
}

// A stage that will not run is in no state of the scheduler's; what was planned says why.
std::string first_state(plan::Status status) {
  switch (status) {
    case plan::Status::run: return "planned";
    case plan::Status::reuse: return "reused";
    default: return std::string(plan::to_string(status));
  }
}

// A stage that is there already stays as it is once anything was done with it.
Status write_stages(Core& core, const plan::Plan& plan, double at, PlanRows& rows) {
  for (const plan::Stage& stage : plan.stages) {
    std::int64_t id = 0;
    if (const auto known = rows.stages.find(stage.id); known != rows.stages.end()) {
      id = known->second;
    } else {
      ORCH_ASSIGN(id, write_stage(core, stage));
      rows.stages.emplace(stage.id, id);
    }
    ORCH_TRY(core.statements.run("INSERT INTO run_stage (run_id, stage_id, plan_id, planned, planned_why, state, state_why, changed_at) "
                                 "VALUES (?, ?, ?, ?, ?, ?, '', ?) ON CONFLICT (run_id, plan_id) DO UPDATE SET planned = excluded.planned, "
                                 "planned_why = excluded.planned_why, state = excluded.state, changed_at = excluded.changed_at "
                                 "WHERE state IN ('undecided', 'idle', 'planned', 'reject')",
                                 rows.run_id, id, stage.id, plan::to_string(stage.status), stage.why, first_state(stage.status), at));
    for (const auto& [name, needed] : stage.needs) {
      const auto row = rows.stages.find(needed);
      if (row == rows.stages.end()) return invalid(fmt::format("stage {} needs {}, which does not stand before it in the plan", stage.id, needed));
      ORCH_TRY(core.statements.run("INSERT INTO stage_need (stage_id, name, needs_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, name, row->second));
    }
  }
  return {};
}

Status write_points(Core& core, const plan::Plan& plan, const PlanRows& rows) {
  for (const plan::PlannedPoint& planned : plan.points) {
    ORCH_TRY(core.statements.run("INSERT INTO point (run_id, name, status, why, parameters) VALUES (?, ?, ?, ?, ?)", rows.run_id, planned.point.name,
                                 plan::to_string(planned.status), planned.why, dump(json_of_values(planned.point.parameters))));
    const std::int64_t id = core.database.last_insert_id();
    ORCH_TRY(core.wide.put_point(id, planned.point.parameters));
    int place = 0;
    for (const plan::StageId& stage : planned.stages) {
      const auto row = rows.stages.find(stage);
      if (row == rows.stages.end()) return invalid(fmt::format("point {} names the stage {}, which is not in the plan", planned.point.name, stage));
      ORCH_TRY(core.statements.run("INSERT INTO point_stage (point_id, stage_id, place) VALUES (?, ?, ?)", id, row->second, place++));
    }
  }
  return {};
}

}  // namespace

Result<PlanRows> write_plan(Core& core, const plan::Plan& plan, const RunInfo& info) {
  PlanRows rows;
  ORCH_ASSIGN(rows.run_id, write_run(core, plan, info));
  ORCH_TRY(write_stages(core, plan, info.started_at, rows));
  ORCH_TRY(write_points(core, plan, rows));
  return rows;
}

Status amend_plan(Core& core, const plan::Plan& plan, PlanRows& rows, double at) {
  for (const char* sql : {"DELETE FROM point_stage WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)",
                          "DELETE FROM point_wide WHERE point_id IN (SELECT id FROM point WHERE run_id = ?)", "DELETE FROM point WHERE run_id = ?",
                          "DELETE FROM run_stage WHERE run_id = ? AND state IN ('undecided', 'idle', 'planned', 'reject')"})
    ORCH_TRY(core.statements.run(sql, rows.run_id));
  for (const char* sql : {"DELETE FROM stage_need WHERE stage_id IN (SELECT id FROM stage WHERE digest IS NULL AND id NOT IN (SELECT stage_id FROM run_stage))",
                          "DELETE FROM stage WHERE digest IS NULL AND id NOT IN (SELECT stage_id FROM run_stage) AND id NOT IN (SELECT needs_id FROM stage_need)"})
    ORCH_TRY(core.statements.run(sql));
  std::erase_if(rows.stages, [&](const auto& row) {
    const auto stage = core.statements.integer("SELECT id FROM stage WHERE id = ?", row.second);
    return stage && !*stage;
  });
  ORCH_TRY(write_stages(core, plan, at, rows));
  return write_points(core, plan, rows);
}

}  // namespace orch::store
