#include "store/plan_record.hpp"

#include "base/json_text.hpp"
#include "store/event_record.hpp"

#include <nlohmann/json.hpp>

namespace orch::store {

namespace {

using nlohmann::json;
using Ids = std::vector<plan::StageId>;

json json_of(const matrix::Value& value) {
  return std::visit([](const auto& typed) { return json(typed); }, matrix::typed(value));
}

template <class Values> std::string text_of_values(const Values& parameters) {
  json object = json::object();
  for (const auto& [name, value] : parameters) object[name] = json_of(value);
  return dump(object);
}

std::string text_of(const Components& components) {
  json list = json::array();
  for (const Component& component : components.list())
    list.push_back({component.name, component.value});
  return dump(list);
}

StageContent content_of(const plan::Stage& stage) {
  return {.name = stage.spec.name,
          .kind = std::string(runner::to_string(stage.spec.kind)),
          .parameters = text_of_values(stage.parameters),
          .components = text_of(stage.components),
          .argv = dump(json(stage.spec.argv)),
          .env = dump(json(stage.spec.env)),
          .rendered = dump(json(stage.rendered)),
          .repeat = stage.repeat};
}

json json_of(const StageContent& content) {
  return {content.name, content.kind, content.parameters, content.components,
          content.argv, content.env,  content.rendered,   content.repeat};
}

StageContent content_of(const json& list) {
  return {.name = list.at(0),
          .kind = list.at(1),
          .parameters = list.at(2),
          .components = list.at(3),
          .argv = list.at(4),
          .env = list.at(5),
          .rendered = list.at(6),
          .repeat = list.at(7)};
}

}  // namespace

PlanRecord record_of(const plan::Plan& plan) {
  PlanRecord record;
  for (const plan::Stage& stage : plan.stages)
    record.stages.push_back(
        {.id = stage.id,
         .digest = stage.digest == Digest{} ? std::nullopt : std::optional(stage.digest.hex()),
         .planned = std::string(plan::to_string(stage.status)),
         .why = stage.why,
         .needs = stage.needs});
  std::set<plan::StageId> checks;
  for (const plan::Stage& stage : plan.stages)
    if (stage.is_check) checks.insert(stage.id);
  for (const plan::PlannedPoint& planned : plan.points) {
    record.points.push_back({.name = planned.point.name,
                             .status = std::string(plan::to_string(planned.status)),
                             .why = planned.why,
                             .parameters = text_of_values(planned.point.parameters),
                             .stages = planned.stages});
    for (const plan::StageId& id : planned.stages)
      if (checks.contains(id)) record.points.back().checks.push_back(id);
  }
  record.content = [&plan](std::size_t i) -> Result<StageContent> {
    return content_of(plan.stages[i]);
  };
  return record;
}

std::string to_fact(const RunRecord& run) {
  const RunInfo& info = run.info;
  return dump(json{{"run",
                    {{"id", run.id},
                     {"uid", run.uid},
                     {"experiment", run.experiment},
                     {"runner", run.runner},
                     {"matrix_file", info.matrix_file},
                     {"matrix_text", info.matrix_text},
                     {"command", info.command},
                     {"folder", info.folder},
                     {"version", info.version},
                     {"machine", info.machine},
                     {"pid", run.pid},
                     {"started_at", info.started_at},
                     {"goodput", info.goodput},
                     {"runners", info.runners}}}});
}

std::string to_fact(const PlanRecord& plan, const std::map<std::size_t, StageContent>& made,
                    bool amended, double at) {
  json stages = json::array(), points = json::array();
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const StageRecord& stage = plan.stages[i];
    json one = {stage.id, stage.digest ? json(*stage.digest) : json(), stage.planned, stage.why,
                stage.needs};
    if (const auto content = made.find(i); content != made.end())
      one.push_back(json_of(content->second));
    stages.push_back(std::move(one));
  }
  for (const PointRecord& point : plan.points)
    points.push_back(
        {point.name, point.status, point.why, point.parameters, point.stages, point.checks});
  return dump(json{{amended ? "amended" : "planned",
                    {{"at", at}, {"stages", std::move(stages)}, {"points", std::move(points)}}}});
}

Result<RunRecord> parse_run(const std::string& fact) try {
  const json run = json::parse(fact).at("run");
  return RunRecord{.id = run.at("id"),
                   .uid = run.at("uid"),
                   .experiment = run.at("experiment"),
                   .runner = run.at("runner"),
                   .info = {.matrix_file = run.at("matrix_file"),
                            .matrix_text = run.at("matrix_text"),
                            .command = run.at("command"),
                            .folder = run.value("folder", ""),
                            .version = run.at("version"),
                            .machine = run.at("machine"),
                            .started_at = run.at("started_at"),
                            .goodput = run.value("goodput", ""),
                            .runners = run.value("runners", std::map<std::string, std::string>{})},
                   .pid = run.at("pid")};
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

Result<PlanFact> parse_plan(const std::string& fact) try {
  const json all = json::parse(fact);
  const bool amended = all.contains("amended");
  const json& plan = all.at(amended ? "amended" : "planned");
  PlanFact out{.plan = {}, .amended = amended, .at = plan.at("at")};
  std::map<std::size_t, StageContent> contents;
  for (const json& stage : plan.at("stages")) {
    if (stage.size() > 5) contents[out.plan.stages.size()] = content_of(stage.at(5));
    out.plan.stages.push_back({.id = stage.at(0),
                               .digest = stage.at(1).is_null()
                                             ? std::nullopt
                                             : std::optional(stage.at(1).get<std::string>()),
                               .planned = stage.at(2),
                               .why = stage.at(3),
                               .needs = stage.at(4)});
  }
  for (const json& point : plan.at("points"))
    out.plan.points.push_back({.name = point.at(0),
                               .status = point.at(1),
                               .why = point.at(2),
                               .parameters = point.at(3),
                               .stages = point.at(4),
                               .checks = point.size() > 5 ? point.at(5).get<Ids>() : Ids()});
  out.plan.content = [contents = std::move(contents)](std::size_t i) -> Result<StageContent> {
    const auto found = contents.find(i);
    if (found == contents.end()) return invalid("no record describes a planned stage");
    return found->second;
  };
  return out;
} catch (const json::exception& error) {
  return unreadable_fact(error);
}

}  // namespace orch::store
