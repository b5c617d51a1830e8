#include "plan/graph/decide.hpp"

#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"
#include "plan/graph/stage_index.hpp"

#include <tuple>
#include <unordered_set>

namespace orch::plan {

namespace {

using Index = std::size_t;

// The failure class of a server that never became ready (run/attempt/failure_table.cpp).
constexpr std::string_view k_not_ready = "not_ready";

// The differences of provenance: "kernel changed 6.1 -> 6.2".
std::vector<std::string> differences(const Provenance& then, const Provenance& now,
                                     const std::set<std::string>* only) {
  std::vector<std::string> found;
  auto look = [&](const std::string& name) {
    if (only && !only->contains(name)) return;
    const auto a = then.find(name), b = now.find(name);
    const std::string before = a == then.end() ? "unknown" : a->second,
                      after = b == now.end() ? "unknown" : b->second;
    if (before != after) found.push_back(fmt::format("{} changed {} -> {}", name, before, after));
  };
  for (const auto& [name, value] : now) look(name);
  for (const auto& [name, value] : then)
    if (!now.contains(name)) look(name);
  return found;
}

class Decider {
 public:
  Decider(Plan& plan, std::span<const Inputs> all)
      : plan_(plan),
        all_(all),
        done_(all.front().done),
        options_(all.front().options),
        index_(plan),
        adds_sessions_(adds_sessions(plan)) {
    for (const Inputs& inputs : all) fact_stages_.push_back(fact_stages(inputs.manifest));
  }

  void decide() {
    mark_late_stages();
    for (const PlannedPoint& point : plan_.points) undecided_.push_back(is_undecided(point));
    for (Stage& stage : plan_.stages) begin(stage);
    find_failed();
    find_pruned();
    for (Stage& stage : plan_.stages) {
      if (stage.spec.kind != runner::Kind::measure || stage.status != Status::idle) continue;
      if (root_of(stage)) give_up(stage);
      else if (wanted_by_decided(stage)) require(stage, missing_why(stage));
    }
    require_fact_stages();
    leave_undecided();
    stop_early();
    for (Index p = 0; p < plan_.points.size(); ++p) decide(plan_.points[p], undecided_[p]);
  }

 private:
  static void set(Stage& stage, Status status, std::string why) {
    stage.status = status;
    stage.why = std::move(why);
  }

  template <class Visit> void for_each_wanted(const PlannedPoint& point, const Visit& visit) const {
    for (const StageId& id : point.stages)
      if (const Stage& stage = plan_.stages[index_.at(id)]; !stage.after_until) visit(stage);
  }

  // A fact that a point waits for may reject it, so only stages that report facts run for it.
  bool is_undecided(const PlannedPoint& point) const {
    if (point.point.is_rejected()) return false;
    bool undecided = false;
    for_each_wanted(point, [&](const Stage& stage) {
      undecided =
          undecided || (!stage.unknown.empty() && !counts_as_new(point, stage)) ||
          (!point.point.waiting.empty() && !fact_stages_[point.runner].contains(stage.spec.name));
    });
    return undecided;
  }

  // Whether a plan that is only displayed counts a stage of unknown identity as run: no rule waits,
  // and a run learns the identity. A program that is not installed has no identity.
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
    const auto found = stage.unknown.empty() ? done_.made.find(stage.digest) : done_.made.end();
    if (!wanted) return set(stage, Status::reject, "only rejected points need it");
    if (!stage.provided.empty()) return set(stage, Status::reuse, "provided by " + stage.provided);
    if (found == done_.made.end() || is_refreshed(stage, found->second) ||
        is_measured_anew(stage, found->second))
      return set(stage, Status::idle, "no remaining stage needs it");
    set(stage, Status::reuse,
        fmt::format("made by run {}; nothing in its digest has changed", found->second.run));
    const auto changed = drift(stage, found->second);
    if (changed.empty()) return;
    stage.why = fmt::format("made by run {}; {}", found->second.run, join(changed, ", "));
    drifted_.insert(&stage);
  }

  bool is_refreshed(const Stage& stage, const Made& made) const {
    return stage.spec.kind == runner::Kind::measure && !options_.refresh.empty() &&
           !differences(*made.provenance, done_.provenance, &options_.refresh).empty();
  }

  // A server that this program does not control may have changed. Measurements that a run made
  // before it died count for the next run of its experiment, and so do those to which sessions are
  // added.
  bool is_measured_anew(const Stage& stage, const Made& made) const {
    if (!stage.running || stage.running->server.reuse) return false;
    const auto experiment = done_.experiments.find(made.run);
    if (experiment != done_.experiments.end() && experiment->second != plan_.matrix_name)
      return true;
    if (adds_sessions_) return false;
    const auto finished = done_.finished.find(plan_.matrix_name);
    return finished != done_.finished.end() && made.run <= finished->second;
  }

  // Differences of provenance that do not make a measurement stale but may have affected it.
  std::vector<std::string> drift(const Stage& stage, const Made& made) const {
    if (stage.spec.kind != runner::Kind::measure || made.provenance->empty()) return {};
    return differences(*made.provenance, done_.provenance, nullptr);
  }

  std::string missing_why(const Stage& stage) const {
    const auto found = done_.made.find(stage.digest);
    if (found == done_.made.end()) return "no valid measurement of it is in the store";
    if (is_measured_anew(stage, found->second))
      return fmt::format(
          "run {} measured {}, which is not under control; reuse: true under service reuses "
          "measurements of it",
          found->second.run, stage.running->server.url.text());
    return fmt::format(
        "{} since run {} made it; --refresh repeats it",
        join(differences(*found->second.provenance, done_.provenance, &options_.refresh), ", "),
        found->second.run);
  }

  // Finds stages that cannot be made because of an earlier failure, and the failed stage for each.
  void find_failed() {
    roots_.assign(plan_.stages.size(), nullptr);
    if (options_.retry_failed) return;
    for (Index i = 0; i < plan_.stages.size(); ++i) {
      const Stage& stage = plan_.stages[i];
      if (stage.status != Status::idle) continue;
      for (const Index need : index_.needs(stage))
        if (roots_[need]) roots_[i] = roots_[need];
      // The failure of a stage after --until does not count: the stage is not needed.
      if (stage.unknown.empty() && !stage.after_until && failed_for_good(stage)) roots_[i] = &stage;
    }
  }

  // Finds measurements of points that need more memory than one that ran out of it.
  void find_pruned() {
    if (plan_.prune_by.empty() || options_.retry_failed) return;
    for (Index i = 0; i < plan_.stages.size(); ++i) {
      if (roots_[i] != &plan_.stages[i] || plan_.stages[i].spec.kind == runner::Kind::task)
        continue;
      const FailedBefore& failed = done_.failed.at(plan_.stages[i].digest);
      if (!is_out_of_memory(failed.failure_class) || has_served(plan_.stages[i])) continue;
      for (const Index small : plan_.stages[i].points)
        for (const Index large : pruned_by(plan_, small)) prune(plan_.points[large], i, small);
    }
  }

  // A server that failed under the load of one point says nothing about the others; that point's
  // measurement does.
  bool has_served(const Stage& server) const {
    if (server.spec.kind != runner::Kind::service) return false;
    for (const Index p : server.points)
      for (const StageId& id : plan_.points[p].stages) {
        const Stage& stage = plan_.stages[index_.at(id)];
        if (stage.spec.kind == runner::Kind::measure &&
            (done_.made.contains(stage.digest) || done_.failed.contains(stage.digest)))
          return true;
      }
    return false;
  }

  void prune(const PlannedPoint& point, Index root, Index small) {
    for (const StageId& id : point.stages) {
      const Index stage = index_.at(id);
      if (plan_.stages[stage].spec.kind != runner::Kind::measure || roots_[stage] ||
          plan_.stages[stage].status != Status::idle)
        continue;
      roots_[stage] = &plan_.stages[root];
      pruned_[stage] =
          pruned_why(plan_, small, done_.failed.at(plan_.stages[root].digest).failure_class);
    }
  }

  // A server that was not ready is tried again once its readiness or smoke request has changed.
  bool failed_for_good(const Stage& stage) const {
    const auto failed = done_.failed.find(stage.digest);
    if (failed == done_.failed.end()) return false;
    if (stage.running || stage.spec.server) return false;  // another server may listen there by now
    const FailedBefore& before = failed->second;
    return before.failure_class != k_not_ready || before.probe.empty() ||
           before.probe == probe_text(stage.spec);
  }

  const Stage* root_of(const Stage& stage) const {
    return roots_[static_cast<Index>(&stage - plan_.stages.data())];
  }

  // "failed in run 3 (cuda_oom): out of memory; --retry-failed tries it again"
  std::string failed_why(const Stage& root) const {
    const FailedBefore& failed = done_.failed.at(root.digest);
    return fmt::format("failed in run {} ({}){}{}; --retry-failed tries it again", failed.run,
                       failed.failure_class, failed.message.empty() ? "" : ": ", failed.message);
  }

  // Abandons STAGE and the needs through which it depends on the failed one. Its other needs may
  // still run for other stages.
  void give_up(Stage& stage) {
    const Stage* root = root_of(stage);
    if (!root || stage.status != Status::idle) return;
    const auto pruned = pruned_.find(static_cast<Index>(&stage - plan_.stages.data()));
    set(stage, Status::failed,
        pruned != pruned_.end() ? pruned->second + "; --retry-failed tries it"
        : root == &stage        ? failed_why(stage)
                                : fmt::format("needs {}, which {}", root->id, failed_why(*root)));
    for (const Index need : index_.needs(stage)) give_up(plan_.stages[need]);
  }

  void require(Stage& stage, std::string why) {
    if (stage.status != Status::idle) return;
    set(stage, Status::run, std::move(why));
    for (const auto& [name, id] : stage.needs)
      require(plan_.stages[index_.at(id)], "needed by " + stage.id + " and not in the store");
  }

  // Runs the stages that report facts of models, for points that wait for such facts.
  void require_fact_stages() {
    for (Index p = 0; p < plan_.points.size(); ++p) {
      const auto& source = manifest_of(plan_.points[p]).fact_source;
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
        set(stage, Status::undecided,
            unknown_why(manifest_of(plan_.points[stage.points.front()]), stage));
  }

  // Marks the stages after --until, and servers that only such stages need.
  void mark_late_stages() {
    for (Stage& stage : plan_.stages) stage.after_until = false;
    if (options_.until.empty()) return;
    for (const Inputs& inputs : all_) {
      std::set<std::string>& names = late_.emplace_back();
      bool late = false;
      for (const runner::StageKind& kind : inputs.manifest.stages) {
        if (late) names.insert(kind.name);
        late = late || kind.name == options_.until;
      }
    }
    std::vector<char> serves(plan_.stages.size());
    for (Index i = plan_.stages.size(); i-- > 0;) {
      Stage& stage = plan_.stages[i];
      stage.after_until =
          is_late(stage) || (stage.spec.kind == runner::Kind::service && !serves[i]);
      if (stage.after_until) continue;
      for (const Index need : index_.needs(stage)) serves[need] = true;
    }
  }

  // Whether STAGE lies beyond --until in the runners of all its points.
  bool is_late(const Stage& stage) const {
    return std::ranges::all_of(stage.points, [&](Index p) {
      return late_[plan_.points[p].runner].contains(stage.spec.name);
    });
  }

  void stop_early() {
    for (Stage& stage : plan_.stages)
      if (stage.after_until && (stage.status == Status::run || stage.status == Status::undecided ||
                                stage.status == Status::failed))
        set(stage, Status::idle,
            (is_late(stage) ? "after --until " : "the stages that need it are after --until ") +
                options_.until);
  }

  // What is known about a point from those of its stages that are needed.
  struct PointFacts {
    const PlannedPoint& point;
    bool undecided;
    bool is_measured = false;         // it has a measurement, needed or not
    std::size_t to_run = 0;           // number of stages
    bool measures = false;            // a measurement is to run
    bool has_results = false;         // a measurement is in the store
    bool lacks_results = false;       // a measurement is not in the store
    const Stage* failed = nullptr;    // the failed stage that its first failed stage depends on
    const Stage* pruned = nullptr;    // a measurement that is not tried
    const Stage* reused = nullptr;    // a measurement, preferably with another provenance
    const Stage* needless = nullptr;  // the stage of --until, which nothing needs
    std::vector<std::string> unknown = {};

    // Stages of a failed point that still run do so for other points.
    bool has_failed() const { return failed && !measures && (lacks_results || !has_results); }
  };

  PointFacts facts_of(const PlannedPoint& point, bool undecided) const {
    PointFacts facts{.point = point, .undecided = undecided};
    facts.is_measured = std::ranges::any_of(point.stages, [&](const StageId& id) {
      return is_measurement(plan_.stages[index_.at(id)]);
    });
    for_each_wanted(point, [&](const Stage& stage) {
      if (is_measurement(stage)) add_measurement(facts, stage);
      if (stage.status == Status::run) ++facts.to_run;
      if (stage.status == Status::failed && !facts.failed) facts.failed = root_of(stage);
      if (stage.spec.name == options_.until && stage.status == Status::idle)
        facts.needless = &stage;
      facts.unknown.insert(facts.unknown.end(), stage.unknown.begin(), stage.unknown.end());
    });
    return facts;
  }

  static bool is_measurement(const Stage& stage) {
    return stage.spec.kind == runner::Kind::measure;
  }

  void add_measurement(PointFacts& facts, const Stage& stage) const {
    const bool is_reused = stage.status == Status::reuse;
    facts.measures = facts.measures || stage.status == Status::run;
    (is_reused ? facts.has_results : facts.lacks_results) = true;
    if (is_reused && (!facts.reused || drifted_.contains(&stage))) facts.reused = &stage;
    if (pruned_.contains(index_.at(stage.id))) facts.pruned = &stage;
  }

  std::string waits_why(const PointFacts& facts) const {
    return undecided_why(manifest_of(facts.point), facts.point.point, facts.unknown);
  }

  // The first case that applies decides.
  std::pair<Status, std::string> decision(const PointFacts& facts) const {
    if (facts.point.point.is_rejected())
      return {Status::reject, matrix::rejections_text(facts.point.point)};
    if (!facts.is_measured)
      return {Status::reject,
              "no stage measures it: the 'when' of every measure stage is false here"};
    if (facts.has_failed())
      return {Status::failed,
              facts.pruned ? facts.pruned->why
                           : fmt::format("{} {}", facts.failed->id, failed_why(*facts.failed))};
    if (facts.undecided) return {Status::undecided, waits_why(facts)};
    if (facts.to_run > 0)
      return {Status::run,
              fmt::format("{} of {} stages to do{}", facts.to_run, facts.point.stages.size(),
                          facts.unknown.empty() ? "" : "; " + waits_why(facts))};
    if (facts.reused) return {Status::reuse, facts.reused->why};
    if (facts.needless)
      return {Status::reuse, fmt::format("no remaining stage needs {}", facts.needless->id)};
    if (!options_.until.empty())
      return {Status::reuse, fmt::format("everything up to {} is already made", options_.until)};
    return {Status::reuse, facts.point.why};
  }

  void decide(PlannedPoint& point, bool undecided) const {
    std::tie(point.status, point.why) = decision(facts_of(point, undecided));
  }

  const runner::Manifest& manifest_of(const PlannedPoint& point) const {
    return all_[point.runner].manifest;
  }

  Plan& plan_;
  const std::span<const Inputs> all_;
  const Done& done_;
  const Options& options_;
  const StageIndex index_;
  const bool adds_sessions_;
  std::map<Index, std::string> pruned_;             // measurements, and why they are not tried
  std::vector<std::set<std::string>> fact_stages_;  // by runner
  std::vector<char> undecided_;                     // by point
  std::vector<const Stage*>
      roots_;  // by stage: the earlier failure that it depends on; null for most
  std::unordered_set<const Stage*> drifted_;  // reused, with another provenance
  std::vector<std::set<std::string>> late_;   // by runner: names of the stages after --until
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
    const std::string near = did_you_mean(until, known);
    const std::string remedy =
        all.size() > 1 ? fmt::format(
                             "; choose the points of the others with --where \"runner != "
                             "'{}'\"",
                             manifest.name)
                       : near;
    errors.push_back(
        invalid(fmt::format("--until names the stage '{}', which runner '{}' does not have{}",
                            until, manifest.name, remedy)));
    return;
  }
  Decider(plan, all).decide();
}

}  // namespace orch::plan
