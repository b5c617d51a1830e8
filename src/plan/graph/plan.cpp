#include "plan/graph/plan.hpp"

#include "core/base/text.hpp"
#include "plan/graph/decide.hpp"
#include "plan/graph/instantiate.hpp"
#include "plan/graph/planner.hpp"
#include "plan/graph/service/running_service.hpp"

#include <unordered_map>

namespace orch::plan {

std::vector<std::string> ports_called(const Spec& spec, std::string_view port) {
  if (spec.server) return {std::string(port)};
  std::vector<std::string> ports;
  for (const std::string& one : spec.ports)
    if (std::string_view(one).substr(0, one.find('.')) == port) ports.push_back(one);
  return ports;
}

namespace {

// Limits against mistyped repeats.
constexpr double k_most_repeats = 10'000;
constexpr double k_most_measurements = 200'000;

bool refuse_repeats(const Inputs& inputs, Errors& errors) {
  const runner::Manifest& manifest = inputs.manifest;
  const matrix::Measure& measure = inputs.matrix.measure;
  const std::size_t points = inputs.chosen.points.size();
  const Location where = measure.repeats_where.file.empty() ? Location{.file = inputs.matrix.file}
                                                            : measure.repeats_where;
  const double product = static_cast<double>(measure.repeats) *
                         static_cast<double>(measure.serve_repeats) *
                         static_cast<double>(measure.build_repeats);
  const double all = product * static_cast<double>(points);
  const std::string repeats =
      fmt::format("{} x {} x {}", measure.build_repeats, measure.serve_repeats, measure.repeats);
  if (product > k_most_repeats)
    errors.push_back(invalid(fmt::format("measure.repeats gives {} = {:.0f} measurements of every "
                                         "point, but at most {:.0f} are planned; lower one of them",
                                         repeats, product, k_most_repeats),
                             where));
  else if (product > 1 && all > k_most_measurements)
    errors.push_back(
        invalid(fmt::format("measure.repeats gives {} measurements of each of {} points, {:.0f} in "
                            "all, but at most {:.0f} are planned; lower one of them",
                            repeats, points, all, k_most_measurements),
                where));
  if (measure.build_repeats > 1 &&
      std::ranges::none_of(manifest.stages, [](const auto& kind) { return kind.repeat_build; }))
    errors.push_back(invalid(
        fmt::format(
            "'repeats.build' is {}, but no stage of runner '{}' has repeat: build; write build: 1",
            measure.build_repeats, manifest.name),
        where));
  return !errors.empty();
}

// Reports a dataset that no stage reads.
void refuse_unread_dataset(const matrix::Matrix& matrix, const runner::Manifest& manifest,
                           Errors& errors) {
  if (matrix.measure.prompts == "synthetic") return;
  for (const runner::StageKind& kind : manifest.stages)
    if (mentions(kind, "{dataset.source}")) return;
  errors.push_back(invalid(
      fmt::format(
          "runner '{}' makes its own prompts and reads no dataset; write prompts: synthetic",
          manifest.name),
      matrix.measure.prompts_where));
}

// Lists the points of each stage, and removes stages without points.
void collect(Plan& plan) {
  std::unordered_map<std::string_view, Stage*> by_id;
  for (Stage& stage : plan.stages) {
    stage.points.clear();
    by_id.emplace(stage.id, &stage);
  }
  for (std::size_t p = 0; p < plan.points.size(); ++p)
    for (const StageId& id : plan.points[p].stages) by_id.at(id)->points.push_back(p);
  std::erase_if(plan.stages, [](const Stage& stage) { return stage.points.empty(); });
}

void settle(Plan& plan, std::span<const Inputs> all, Errors& errors) {
  collect(plan);
  check_pinned_ports(plan, all, errors);
  estimate(plan, all.front().done.earlier, all.front().options.times);
  decide(plan, all, errors);
  order(plan, all);
}

// The parameters that the matrix varies for any of the runners. Error: `prune` has another name.
std::vector<std::string> varied_by(std::span<const Inputs> all, Errors& errors) {
  std::vector<std::string> varied;
  for (const Inputs& inputs : all)
    for (const std::string& name : matrix::varied_parameters(inputs.matrix))
      if (!contains(varied, name)) varied.push_back(name);
  const matrix::Measure& measure = all.front().matrix.measure;
  for (const std::string& name : measure.prune)
    if (!contains(varied, name))
      errors.push_back(invalid(fmt::format("'measure.prune' names {}, which no axis sets{}",
                                           quoted(name), did_you_mean(name, varied)),
                               measure.prune_where));
  return varied;
}

// The points that are also measured alone, spread evenly over those that can be measured.
std::set<std::size_t> checked_points(const Inputs& inputs, matrix::Isolation isolation) {
  const auto wanted = static_cast<std::size_t>(inputs.matrix.measure.check_isolation);
  if (wanted == 0 || isolation == matrix::Isolation::strict) return {};
  const std::vector<matrix::Point>& points = inputs.chosen.points;
  std::vector<std::size_t> usable;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (!points[p].is_rejected()) usable.push_back(p);
  std::set<std::size_t> checked;
  for (std::size_t i = 0; i < std::min(wanted, usable.size()); ++i)
    checked.insert(usable[(2 * i + 1) * usable.size() / (2 * std::min(wanted, usable.size()))]);
  return checked;
}

void add_points(Plan& plan, std::size_t runner, const Inputs& inputs, Errors& errors) {
  Instantiator instantiator(inputs, errors);
  Planner planner(plan, inputs, instantiator);
  const std::vector<matrix::Point>& points = inputs.chosen.points;
  plan.points.reserve(plan.points.size() + points.size());
  // Most points share all stages except their measurement.
  plan.stages.reserve(plan.stages.size() + points.size() + points.size() / 16);
  plan.isolation = planner.isolation();
  plan.keep = inputs.matrix.keep;
  plan.gpu_clock_mhz = static_cast<int>(inputs.matrix.measure.gpu_clock_mhz);
  const std::set<std::size_t> checked = checked_points(inputs, plan.isolation);
  for (std::size_t p = 0; p < points.size(); ++p)
    plan.points.push_back({.point = points[p],
                           .stages = planner.stages_of(points[p], checked.contains(p)),
                           .runner = runner});
  plan.warnings.insert(instantiator.warnings().begin(), instantiator.warnings().end());
}

std::set<StageId> unknown_stages(const Plan& plan) {
  std::set<StageId> unknown;
  for (const Stage& stage : plan.stages)
    if (!stage.unknown.empty()) unknown.insert(stage.id);
  return unknown;
}

// A clock that enters digests must be locked.
void refuse_unlocked_clocks(const Plan& plan, const matrix::Measure& measure, Errors& errors) {
  if (measure.gpu_clock_mhz == 0) return;
  for (const Stage& stage : plan.stages)
    if (stage.spec.kind == runner::Kind::service && !stage.spec.server && stage.gpus == 0)
      return errors.push_back(invalid(
          fmt::format("'measure.gpu_clock_mhz' is {}, but the stage '{}' holds no GPU whose clock "
                      "could be locked; remove the key, or state in runner.yaml how many GPUs the "
                      "stage holds",
                      measure.gpu_clock_mhz, stage.spec.name),
          measure.gpu_clock_where));
}

bool waits(const PlannedPoint& planned, const std::set<StageId>& unknown) {
  return !planned.point.waiting.empty() || !planned.point.unknown.empty() ||
         std::ranges::any_of(planned.stages,
                             [&](const StageId& id) { return unknown.contains(id); });
}

// Whether OLD became NOW when facts arrived: everything known in OLD is unchanged.
bool is_same(const matrix::Point& old, const matrix::Point& now) {
  if (old.model != now.model) return false;
  return std::all_of(old.parameters.begin(), old.parameters.end(), [&](const auto& parameter) {
    if (contains(old.unknown, parameter.first)) return true;
    const matrix::Value* value = now.parameters.find(parameter.first);
    return value && value->text == parameter.second.text;
  });
}

}  // namespace

Plan make_plan(const Inputs& inputs, Errors& errors) {
  return make_plan(std::span(&inputs, 1), errors);
}

Plan make_plan(std::span<const Inputs> all, Errors& errors) {
  Plan plan;
  plan.matrix_name = all.front().matrix.name;
  plan.ports = pinned_ports(all.front().matrix);
  plan.prune_by = all.front().matrix.measure.prune;
  if (!plan.prune_by.empty()) plan.varied = varied_by(all, errors);
  const std::size_t before = errors.size();
  for (const Inputs& inputs : all) {
    plan.runners.push_back(inputs.manifest.name);
    plan.excluded += inputs.chosen.excluded;
    refuse_unread_dataset(inputs.matrix, inputs.manifest, errors);
    if (refuse_repeats(inputs, errors)) return plan;
  }
  for (std::size_t runner = 0; runner < all.size(); ++runner)
    add_points(plan, runner, all[runner], errors);
  refuse_unlocked_clocks(plan, all.front().matrix.measure, errors);
  if (errors.size() == before) settle(plan, all, errors);
  return plan;
}

namespace {

// Plans again the points of one runner's INPUTS that waited for facts; keeps the others.
class Replanner {
 public:
  Replanner(Plan& plan, const Inputs& inputs, const std::set<StageId>& unknown, Errors& errors)
      : inputs_(inputs),
        unknown_(unknown),
        instantiator_(inputs, errors),
        planner_(plan, inputs, instantiator_) {}

  std::vector<PlannedPoint> again(std::span<PlannedPoint> old, std::size_t runner) {
    std::vector<PlannedPoint> points;
    points.reserve(inputs_.chosen.points.size());
    std::size_t next = 0;
    for (const matrix::Point& point : inputs_.chosen.points) {
      // Both lists are in the order of the axes. A point that is now missing waited for a fact that
      // excludes it.
      std::size_t same = next;
      while (same < old.size() && !is_same(old[same].point, point)) ++same;
      const bool known = same < old.size();
      if (known) next = same + 1;
      if (known && !waits(old[same], unknown_)) {
        old[same].point.warnings = point.warnings;  // new facts may decide a rule that only warns
        points.push_back(std::move(old[same]));
      } else
        points.push_back({.point = point, .stages = planner_.stages_of(point), .runner = runner});
    }
    return points;
  }

  const std::set<std::string>& warnings() const { return instantiator_.warnings(); }

 private:
  const Inputs& inputs_;
  const std::set<StageId>& unknown_;
  Instantiator instantiator_;
  Planner planner_;
};

}  // namespace

void plan_again(Plan& plan, const Inputs& inputs, Errors& errors) {
  plan_again(plan, std::span(&inputs, 1), errors);
}

void plan_again(Plan& plan, std::span<const Inputs> all, Errors& errors) {
  const std::size_t before = errors.size();
  const std::set<StageId> unknown = unknown_stages(plan);
  std::vector<PlannedPoint> old = std::move(plan.points), points;
  plan.excluded = 0;
  auto begin = old.begin();
  for (std::size_t runner = 0; runner < all.size(); ++runner) {
    const auto end = std::find_if(
        begin, old.end(), [&](const PlannedPoint& point) { return point.runner != runner; });
    Replanner replanner(plan, all[runner], unknown, errors);
    for (PlannedPoint& point : replanner.again({begin, end}, runner))
      points.push_back(std::move(point));
    plan.warnings.insert(replanner.warnings().begin(), replanner.warnings().end());
    plan.excluded += all[runner].chosen.excluded;
    begin = end;
  }
  plan.points = std::move(points);
  if (errors.size() == before) settle(plan, all, errors);
}

}  // namespace orch::plan
