#include "plan/plan.hpp"

#include "plan/instantiate.hpp"

#include <unordered_map>

namespace orch::plan {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::run: return "run";
    case Status::reuse: return "reuse";
    case Status::reject: return "reject";
    case Status::undecided: return "undecided";
    case Status::idle: return "idle";
  }
  return "";
}

namespace {

using Index = std::size_t;

// Makes the graph point by point; equal stages are met again by the values that decide them, so a stage is
// instantiated and hashed once, however many points share it.
class Planner {
 public:
  Planner(Plan& plan, Instantiator& instantiator, Errors& errors) : plan_(plan), instantiator_(instantiator), errors_(errors) {}

  void add(const matrix::Point& point, const runner::Manifest& manifest, std::int64_t repeats) {
    const Index point_index = plan_.points.size();
    PlannedPoint planned{.point = point, .status = {}, .why = {}, .stages = {}};
    std::vector<std::map<std::string, StageId>> made(static_cast<std::size_t>(repeats));  // per repeat
    for (const runner::StageKind& kind : manifest.stages) {
      const bool repeated = is_repeated(kind);
      for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
        auto& mine = made[static_cast<std::size_t>(repeat)];
        if (repeat > 0 && !repeated) {
          mine[kind.name] = made.front().at(kind.name);
          continue;
        }
        Stage& stage = plan_.stages[find_or_make(kind, point, mine, repeat)];
        if (stage.points.empty() || stage.points.back() != point_index) stage.points.push_back(point_index);
        planned.stages.push_back(stage.id);
        mine[kind.name] = stage.id;
      }
    }
    plan_.points.push_back(std::move(planned));
  }

  Stage& stage(const StageId& id) { return plan_.stages[by_id_.at(id)]; }

 private:
  // Measurements, and whatever says {repeat}: prompts of their own for each repeat.
  bool is_repeated(const runner::StageKind& kind) {
    const auto [known, is_new] = repeated_.try_emplace(kind.name, false);
    if (is_new) known->second = kind.kind == runner::Kind::measure || mentions(kind, "{repeat}");
    return known->second;
  }

  Index find_or_make(const runner::StageKind& kind, const matrix::Point& point, const std::map<std::string, StageId>& made, std::int64_t repeat) {
    const std::string key = instantiator_.key(kind, point, made, repeat);
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
    std::map<std::string, const Stage*> needs;
    for (const std::string& need : kind.needs)
      if (const auto id = made.find(need); id != made.end()) needs[need] = &stage(id->second);
    Stage stage = instantiator_.make(kind, point, needs, repeat, errors_);
    const auto [known, is_new] = by_id_.try_emplace(stage.id, plan_.stages.size());
    if (is_new) plan_.stages.push_back(std::move(stage));
    return by_key_[key] = known->second;
  }

  Plan& plan_;
  Instantiator& instantiator_;
  Errors& errors_;
  std::unordered_map<std::string, bool> repeated_;
  std::unordered_map<std::string, Index> by_key_;
  std::unordered_map<StageId, Index> by_id_;
};

// Decides from the measurements backwards what has to run: whatever nobody waits for stays idle.
class Decider {
 public:
  Decider(Plan& plan, Planner& planner, const Done& done) : plan_(plan), planner_(planner), done_(done) {}

  void decide() {
    for (Stage& stage : plan_.stages) {
      const bool wanted = std::any_of(stage.points.begin(), stage.points.end(), [&](std::size_t p) { return !plan_.points[p].point.rejected; });
      const auto found = done_.made.find(stage.digest);
      if (!wanted) set(stage, Status::reject, "only rejected points want it");
      else if (found != done_.made.end()) set(stage, Status::reuse, fmt::format("made by run {}, nothing that decides it has changed", found->second.run));
      else set(stage, Status::idle, "nothing that is left to do needs it");
    }
    for (Stage& stage : plan_.stages)
      if (stage.spec.kind == runner::Kind::measure && stage.status == Status::idle) require(stage, "no valid measurement of it is in the store");
    for (PlannedPoint& point : plan_.points) decide(point);
  }

 private:
  static void set(Stage& stage, Status status, std::string why) {
    stage.status = status;
    stage.why = std::move(why);
  }

  void require(Stage& stage, std::string why) {
    if (stage.status != Status::idle) return;
    set(stage, Status::run, std::move(why));
    for (const auto& [name, id] : stage.needs) require(planner_.stage(id), "needed by " + stage.id + " and not in the store");
  }

  void decide(PlannedPoint& point) {
    if (point.point.rejected) {
      point.status = Status::reject;
      point.why = fmt::format("{}: {}", point.point.rejected->rule, point.point.rejected->why);
      return;
    }
    std::size_t to_run = 0;
    const Stage* reused = nullptr;
    for (const StageId& id : point.stages) {
      const Stage& stage = planner_.stage(id);
      if (stage.status == Status::run) ++to_run;
      if (stage.spec.kind == runner::Kind::measure && stage.status == Status::reuse) reused = &stage;
    }
    point.status = to_run ? Status::run : Status::reuse;
    if (to_run) point.why = fmt::format("{} of {} stages to do", to_run, point.stages.size());
    else if (reused) point.why = reused->why;
  }

  Plan& plan_;
  Planner& planner_;
  const Done& done_;
};

}  // namespace

Plan make_plan(const matrix::Matrix& matrix, const matrix::Expansion& expansion, const runner::Manifest& manifest,
               Facts& facts, const Done& done, const Options& options, Errors& errors) {
  Plan plan;
  plan.matrix_name = matrix.name;
  plan.runner = manifest.name;
  plan.excluded = expansion.excluded;
  Instantiator instantiator(facts, options, matrix.measure);
  Planner planner(plan, instantiator, errors);
  for (const matrix::Point& point : expansion.points) planner.add(point, manifest, matrix.measure.repeats);
  if (errors.empty()) Decider(plan, planner, done).decide();
  return plan;
}

}  // namespace orch::plan
