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

}  // namespace

std::vector<std::pair<std::string, std::string>> components_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> components;
  const json list = json::parse(text, nullptr, false);
  for (const json& pair : list.is_array() ? list : json::array())
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      components.emplace_back(pair[0], pair[1]);
  return components;
}

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
  PlanFact out{.amended = amended};
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
    return invalid("a point of a plan has an unexpected form");
  out.plan.content = [contents = std::move(contents)](std::size_t i) -> Result<StageContent> {
    const auto found = contents.find(i);
    if (found == contents.end()) return invalid("no record describes a planned stage");
    return found->second;
  };
  return out;
} catch (const std::bad_variant_access&) {
  return invalid("a plan has an unexpected form");
}

}  // namespace orch::store
