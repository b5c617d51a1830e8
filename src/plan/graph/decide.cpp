#include "plan/graph/decide.hpp"

#include "core/base/text.hpp"
#include "plan/graph/earlier_runs.hpp"
#include "plan/graph/stage_draft.hpp"

#include <unordered_set>

namespace orch::plan {

namespace {

using Index = std::size_t;

const runner::Manifest& manifest_of(std::span<const Inputs> all, const PlannedPoint& point) {
  return all[point.runner].manifest;
}

bool is_measurement(const Stage& stage) { return stage.spec.kind == runner::Kind::measure; }

void set_status(Stage& stage, Status status, std::string why) {
  stage.status = status;
  stage.why = std::move(why);
}

// The stages of POINT, except those after --until.
std::vector<const Stage*> wanted_stages(const Plan& plan, const StageIndex& index,
                                        const PlannedPoint& point) {
  std::vector<const Stage*> wanted;
  for (const StageId& id : point.stages)
    if (const Stage& stage = plan.stages[index.at(id)]; !stage.after_until)
      wanted.push_back(&stage);
  return wanted;
}

// All classes below borrow the arguments of their constructors.

// The stages after --until, and servers that only such stages need.
class LateStages {
 public:
  LateStages(Plan& plan, const StageIndex& index, std::span<const Inputs> all)
      : plan_(plan), until_(all.front().options.until) {
    for (Stage& stage : plan_.stages) stage.after_until = false;
    if (until_.empty()) return;
    for (const Inputs& inputs : all) {
      std::set<std::string>& names = late_.emplace_back();
      bool late = false;
      for (const runner::StageKind& kind : inputs.manifest.stages) {
        if (late) names.insert(kind.name);
        late = late || kind.name == until_;
      }
    }
    std::vector<char> serves(plan_.stages.size());
    for (Index i = plan_.stages.size(); i-- > 0;) {
      Stage& stage = plan_.stages[i];
      stage.after_until =
          is_late(stage) || (stage.spec.kind == runner::Kind::service && !serves[i]);
      if (stage.after_until) continue;
      for (const Index need : index.needs(stage)) serves[need] = true;
    }
  }

  // Makes these stages idle, except those that are reused or rejected.
  void leave_out() {
    for (Stage& stage : plan_.stages)
      if (stage.after_until && (stage.status == Status::run || stage.status == Status::undecided ||
                                stage.status == Status::failed))
        set_status(
            stage, Status::idle,
            (is_late(stage) ? "after --until " : "the stages that need it are after --until ") +
                until_);
  }

 private:
  // Whether STAGE comes after --until in the runners of all its points.
  bool is_late(const Stage& stage) const {
    return std::ranges::all_of(stage.points, [&](Index p) {
      return late_[plan_.points[p].runner].contains(stage.spec.name);
    });
  }

  Plan& plan_;
  const std::string& until_;
  std::vector<std::set<std::string>> late_;  // by runner: names of the stages after --until
};

// Decides the status of points, once that of every stage is decided.
class PointDecider {
 public:
  // DRIFTED: measurements that are reused although their provenance differs.
  PointDecider(const Plan& plan, const StageIndex& index, std::span<const Inputs> all,
               const EarlierFailures& failures, const std::unordered_set<const Stage*>& drifted)
      : plan_(plan), index_(index), all_(all), failures_(failures), drifted_(drifted) {}

  void decide(PlannedPoint& point, bool undecided) const {
    Decision decision = decision_on(facts_of(point, undecided));
    point.status = decision.status;
    point.why = std::move(decision.why);
    point.waits = std::move(decision.waits);
  }

 private:
  // What is known about a point from its stages, without those after --until.
  struct PointFacts {
    const PlannedPoint& point;
    bool undecided;
    bool is_measured = false;         // it has a measurement, even after --until
    std::size_t to_run = 0;           // number of stages
    bool measures = false;            // a measurement is to run
    bool has_results = false;         // a measurement is in the store
    bool lacks_results = false;       // a measurement is not in the store
    const Stage* failed = nullptr;    // the root of its first failed stage (EarlierFailures)
    const Stage* pruned = nullptr;    // a measurement that is not tried
    const Stage* reused = nullptr;    // a measurement, preferably one of `drifted_`
    const Stage* needless = nullptr;  // the stage of --until, which nothing needs
    std::vector<std::string> unknown = {};

    // If a failed point has stages to run, they run for other points.
    bool has_failed() const { return failed && !measures && (lacks_results || !has_results); }
  };

  PointFacts facts_of(const PlannedPoint& point, bool undecided) const {
    PointFacts facts{.point = point, .undecided = undecided};
    facts.is_measured = std::ranges::any_of(point.stages, [&](const StageId& id) {
      return is_measurement(plan_.stages[index_.at(id)]);
    });
    for (const Stage* stage : wanted_stages(plan_, index_, point)) {
      if (is_measurement(*stage)) add_measurement(facts, *stage);
      if (stage->status == Status::run) ++facts.to_run;
      if (stage->status == Status::failed && !facts.failed)
        facts.failed = failures_.root_of(*stage);
      if (stage->spec.name == until() && stage->status == Status::idle) facts.needless = stage;
      facts.unknown.insert(facts.unknown.end(), stage->unknown.begin(), stage->unknown.end());
    }
    return facts;
  }

  void add_measurement(PointFacts& facts, const Stage& stage) const {
    const bool is_reused = stage.status == Status::reuse;
    facts.measures = facts.measures || stage.status == Status::run;
    (is_reused ? facts.has_results : facts.lacks_results) = true;
    if (is_reused && (!facts.reused || drifted_.contains(&stage))) facts.reused = &stage;
    if (failures_.is_pruned(stage)) facts.pruned = &stage;
  }

  struct Decision {
    Status status;
    std::string why;
    std::string waits = {};
  };

  std::string waits_why(const PointFacts& facts) const {
    return undecided_why(manifest_of(all_, facts.point), facts.point.point, facts.unknown);
  }

  // The first case that applies decides.
  Decision decision_on(const PointFacts& facts) const {
    if (facts.point.point.is_rejected())
      return {Status::reject, matrix::rejections_text(facts.point.point)};
    if (!facts.is_measured)
      return {Status::reject,
              "no stage measures it: the 'when' of every measure stage is false here"};
    if (facts.has_failed())
      return {Status::failed, facts.pruned ? facts.pruned->why
                                           : fmt::format("{} {}", facts.failed->id,
                                                         failures_.failed_why(*facts.failed))};
    if (facts.undecided) return {Status::undecided, waits_why(facts)};
    if (facts.to_run > 0) {
      const std::string waits = facts.unknown.empty() ? "" : waits_why(facts);
      return {Status::run,
              fmt::format("{} of {} stages to do{}", facts.to_run, facts.point.stages.size(),
                          waits.empty() ? "" : "; " + waits),
              waits};
    }
    if (facts.reused) return {Status::reuse, facts.reused->why};
    if (facts.needless)
      return {Status::reuse, fmt::format("no remaining stage needs {}", facts.needless->id)};
    if (!until().empty())
      return {Status::reuse, fmt::format("everything up to {} is already made", until())};
    return {Status::reuse, facts.point.why};
  }

  const std::string& until() const { return all_.front().options.until; }

  const Plan& plan_;
  const StageIndex& index_;
  const std::span<const Inputs> all_;
  const EarlierFailures& failures_;
  const std::unordered_set<const Stage*>& drifted_;
};

// Decides the status of stages, backwards from the measurements, and then that of points.
class Decider {
 public:
  Decider(Plan& plan, std::span<const Inputs> all)
      : plan_(plan),
        all_(all),
        options_(all.front().options),
        index_(plan),
        outputs_(plan, all.front().done, options_) {
    for (const Inputs& inputs : all) fact_stages_.push_back(fact_stages(inputs.manifest));
  }

  void decide() {
    LateStages late(plan_, index_, all_);
    for (const PlannedPoint& point : plan_.points) undecided_.push_back(is_undecided(point));
    for (Stage& stage : plan_.stages) begin(stage);
    const EarlierFailures failures(plan_, index_, all_.front());
    for (Stage& stage : plan_.stages) {
      if (!is_measurement(stage) || stage.status != Status::idle) continue;
      if (failures.root_of(stage)) give_up(stage, failures);
      else if (wanted_by_decided(stage)) require(stage, outputs_.missing_why(stage));
    }
    require_fact_stages();
    leave_undecided();
    late.leave_out();
    const PointDecider points(plan_, index_, all_, failures, drifted_);
    for (Index p = 0; p < plan_.points.size(); ++p) points.decide(plan_.points[p], undecided_[p]);
  }

 private:
  // A fact that a point waits for may reject it, so only stages that report facts run for it.
  bool is_undecided(const PlannedPoint& point) const {
    if (point.point.is_rejected()) return false;
    return std::ranges::any_of(wanted_stages(plan_, index_, point), [&](const Stage* stage) {
      return (!stage->unknown.empty() && !counts_as_new(point, *stage)) ||
             (!point.point.waiting.empty() &&
              !fact_stages_[point.runner].contains(stage->spec.name));
    });
  }

  // Whether a plan that is only displayed shows STAGE, whose identity is unknown, as run: POINT
  // waits for no fact, and a run will learn the identity, which it cannot if a program is not
  // installed.
  bool counts_as_new(const PlannedPoint& point, const Stage& stage) const {
    return options_.only_shown && point.point.waiting.empty() &&
           std::ranges::none_of(stage.unknown, [](const std::string& unknown) {
             return unknown.starts_with(k_executable);
           });
  }

  bool wanted_by_decided(const Stage& stage) const {
    return std::ranges::any_of(stage.points, [&](Index p) {
      return !plan_.points[p].point.is_rejected() && !undecided_[p];
    });
  }

  // Sets the status, as far as it does not depend on other stages.
  void begin(Stage& stage) {
    const bool wanted = std::ranges::any_of(
        stage.points, [&](Index p) { return !plan_.points[p].point.is_rejected(); });
    if (!wanted) return set_status(stage, Status::reject, "only rejected points need it");
    if (!stage.provided.empty())
      return set_status(stage, Status::reuse, "provided by " + stage.provided);
    const Made* made = outputs_.usable(stage);
    if (!made) return set_status(stage, Status::idle, "no remaining stage needs it");
    const auto changed = outputs_.drift(stage, *made);
    set_status(
        stage, Status::reuse,
        fmt::format("made by run {}; {}", made->run,
                    changed.empty() ? "nothing in its digest has changed" : join(changed, ", ")));
    if (!changed.empty()) drifted_.insert(&stage);
  }

  // Abandons STAGE and the needs through which it depends on the failed one. Its other needs may
  // still run for other stages.
  void give_up(Stage& stage, const EarlierFailures& failures) {
    if (!failures.root_of(stage) || stage.status != Status::idle) return;
    set_status(stage, Status::failed, failures.why(stage));
    for (const Index need : index_.needs(stage)) give_up(plan_.stages[need], failures);
  }

  void require(Stage& stage, std::string why) {
    if (stage.status != Status::idle) return;
    set_status(stage, Status::run, std::move(why));
    for (const auto& [name, id] : stage.needs)
      require(plan_.stages[index_.at(id)], "needed by " + stage.id + " and not in the store");
  }

  // Runs the stages that report facts of models, for points that wait for such facts.
  void require_fact_stages() {
    for (Index p = 0; p < plan_.points.size(); ++p) {
      const auto& source = manifest_of(all_, plan_.points[p]).fact_source;
      if (!source || !undecided_[p] || !waits_for_model(plan_.points[p].point)) continue;
      for (const StageId& id : plan_.points[p].stages) {
        Stage& stage = plan_.stages[index_.at(id)];
        if (stage.spec.name == source->stage && stage.unknown.empty())
          require(stage, "points wait for the facts that it reports");
      }
    }
  }

  void leave_undecided() {
    for (Stage& stage : plan_.stages)
      if (stage.status == Status::idle && !wanted_by_decided(stage))
        set_status(stage, Status::undecided,
                   unknown_why(manifest_of(all_, plan_.points[stage.points.front()]), stage));
  }

  Plan& plan_;
  const std::span<const Inputs> all_;
  const Options& options_;
  const StageIndex index_;
  const EarlierOutputs outputs_;
  std::vector<std::set<std::string>> fact_stages_;  // by runner
  std::vector<char> undecided_;                     // by point
  std::unordered_set<const Stage*> drifted_;        // reused, with another provenance
};

}  // namespace

void decide(Plan& plan, std::span<const Inputs> all, Errors& errors) {
  const std::string& until = all.front().options.until;
  for (const Inputs& inputs : all) {
    const runner::Manifest& manifest = inputs.manifest;
    if (until.empty() || manifest.find(until) || (all.size() > 1 && inputs.chosen.points.empty()))
      continue;
    std::vector<std::string> known;
    for (const runner::StageKind& kind : manifest.stages) known.push_back(kind.name);
    const std::string remedy =
        all.size() > 1
            ? fmt::format("; select the points of other runners with --where \"runner != '{}'\"",
                          manifest.name)
            : did_you_mean(until, known);
    errors.push_back(
        invalid(fmt::format("--until names the stage '{}', which runner '{}' does not have{}",
                            until, manifest.name, remedy)));
    return;
  }
  Decider(plan, all).decide();
}

}  // namespace orch::plan
