#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "plan/graph/comparison.hpp"
#include "plan/graph/containers.hpp"
#include "plan/graph/stage_draft.hpp"
#include "spec/render/template.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {

namespace {

using Json = nlohmann::ordered_json;

Json value_json(const matrix::Value& value) {
  return std::visit([](const auto& typed) { return Json(typed); }, matrix::typed(value));
}

Json point_json(const PlannedPoint& planned) {
  Json params = Json::object();
  for (const auto& [name, value] : planned.point.parameters)
    params[name] = is_unknown(planned.point, name) ? Json(nullptr) : value_json(value);
  Json rejections = Json::array(), warnings = Json::array();
  for (const matrix::Point::Broken& broken : planned.point.rejections)
    rejections.push_back({{"rule", broken.rule}, {"why", broken.why}});
  for (const matrix::Point::Broken& broken : planned.point.warnings)
    warnings.push_back(fmt::format("{}: {}", broken.rule, broken.why));
  const std::string& name = planned.point.name;
  return {{"id", name.substr(name.rfind('-') + 1)},
          {"name", name},
          {"params", params},
          {"status", to_string(planned.status)},
          {"reason", planned.why},
          {"rejections", rejections},
          {"warnings", warnings},
          {"stages", planned.stages}};
}

template <class T> Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// STAGE's spec, with unresolved revisions as named in the matrix.
Spec shown_spec(const Stage& stage) {
  Spec spec = stage.spec;
  if (stage.unresolved.empty()) return spec;
  for_each_text(spec, [&](std::string& text) {
    text =
        render::replace_symbols(text, [&](std::string_view symbol) -> std::optional<std::string> {
          const auto found = stage.unresolved.find(std::string(symbol));
          if (found == stage.unresolved.end()) return std::nullopt;
          return found->second.revision;
        });
  });
  return spec;
}

Json comparison_json(const Plan& plan, const Comparison& comparison) {
  Json differences = Json::array();
  for (const Difference& one : comparison.differences) {
    Json values = Json::object();
    for (std::size_t runner = 0; runner < one.values.size(); ++runner)
      if (!one.values[runner].empty()) values[plan.runners.at(runner)] = one.values[runner];
    differences.push_back(
        {{"parameter", one.parameter}, {"values", values}, {"groups", one.groups}});
  }
  return {{"by", comparison.by},
          {"groups", comparison.groups},
          {"equal", comparison.equal},
          {"unknown", comparison.unknown},
          {"differences", differences}};
}

// LAUNCHER, the arguments of `launch`, with those that start the container, as far as these are the
// same on every machine.
std::vector<std::string> launch_of(const Plan& plan, const Stage& stage,
                                   std::vector<std::string> launcher) {
  if (!stage.spec.container) return launcher;
  return container::put_in(std::move(launcher), container::words_of(*stage.spec.container,
                                                                    container_start(plan, stage)));
}

Json container_json(const Spec& spec) {
  if (!spec.container) return nullptr;
  const container::Settings& settings = *spec.container;
  return {{"engine", to_string(settings.engine)},
          {"image", settings.image.empty() ? settings.built : settings.image},
          {"pinned", settings.pinned.empty() ? Json(nullptr) : Json(settings.pinned)}};
}

// The range that the manifest expects: [from, to], or null.
Json expected_json(const Estimate& estimate) {
  if (estimate.to_seconds <= 0) return nullptr;
  return {estimate.from_seconds, estimate.to_seconds};
}

Json stage_json(const Plan& plan, const Stage& stage) {
  Json needs = Json::array();
  for (const auto& [name, id] : stage.needs) needs.push_back(id);
  const bool known = stage.unknown.empty();
  const Spec spec = shown_spec(stage);
  const auto own =
      spec.argv.begin() + static_cast<std::ptrdiff_t>(std::min(spec.launcher, spec.argv.size()));
  return {{"id", stage.id},
          {"stage", stage.spec.name},
          {"kind", to_string(stage.spec.kind)},
          {"digest", known ? Json(stage.digest.hex()) : Json(nullptr)},
          {"unknown", known ? Json(nullptr) : Json(stage.unknown)},
          {"argv", std::vector(own, spec.argv.end())},
          {"launch", launch_of(plan, stage, std::vector(spec.argv.begin(), own))},
          {"container", container_json(spec)},
          {"env", spec.env},
          {"needs", needs},
          {"version", spec.version && !spec.version->answer.empty() ? Json(spec.version->answer)
                                                                    : Json(nullptr)},
          {"status", to_string(stage.status)},
          {"why", stage.why},
          {"estimate_s", or_null(stage.estimate.seconds)},
          {"bound_s",
           stage.estimate.least_seconds > 0 ? Json(stage.estimate.least_seconds) : Json(nullptr)},
          {"expected_s", expected_json(stage.estimate)},
          {"gpus", stage.gpus},
          {"cpus", stage.share ? stage.share->cores.value_or(stage.share->cpus) : 0},
          {"memory_gib", stage.share ? stage.share->memory_gib : 0},
          {"alone", stage.alone},
          {"provided", stage.provided.empty() ? Json(nullptr) : Json(stage.provided)}};
}

}  // namespace

std::string to_json(const Plan& plan, const Comparison& comparison) {
  Json points = Json::array(), stages = Json::array();
  for (const PlannedPoint& point : plan.points) {
    points.push_back(point_json(point));
    points.back()["runner"] = plan.runners.at(point.runner);
  }
  for (const Stage& stage : plan.stages) stages.push_back(stage_json(plan, stage));
  Json json = {{"points", points}, {"stages", stages}};
  if (plan.runners.size() > 1) json["comparison"] = comparison_json(plan, comparison);
  return dump(json, 2) + "\n";
}

std::string probe_text(const Spec& spec) {
  if (!spec.ready) return "";
  Json probe = {
      {"port", spec.ready->port}, {"get", spec.ready->get}, {"timeout_s", spec.ready->timeout_s}};
  if (spec.smoke)
    probe["smoke"] = {{"port", spec.smoke->port},
                      {"post", spec.smoke->post},
                      {"body", spec.smoke->body},
                      {"answer", spec.smoke->answer}};
  return dump(probe);
}

}  // namespace orch::plan
