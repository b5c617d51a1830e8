#include "plan/graph/earlier_runs.hpp"

#include "core/base/text.hpp"
#include "plan/graph/decide.hpp"

namespace orch::plan {

namespace {

// The failure class of a server that never became ready (run/attempt/failure_table.cpp).
constexpr std::string_view k_not_ready = "not_ready";

// The differences of provenance: "kernel changed 6.1 -> 6.2". ONLY: the names to look at; null:
// all.
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

}  // namespace

const Made* EarlierOutputs::usable(const Stage& stage) const {
  if (!stage.unknown.empty()) return nullptr;
  const auto found = done_.made.find(stage.digest);
  const bool is_usable = found != done_.made.end() && !is_refreshed(stage, found->second) &&
                         !is_measured_anew(stage, found->second);
  return is_usable ? &found->second : nullptr;
}

std::vector<std::string> EarlierOutputs::drift(const Stage& stage, const Made& made) const {
  if (stage.spec.kind != runner::Kind::measure || made.provenance->empty()) return {};
  return differences(*made.provenance, done_.provenance, nullptr);
}

std::string EarlierOutputs::missing_why(const Stage& stage) const {
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

bool EarlierOutputs::is_refreshed(const Stage& stage, const Made& made) const {
  return stage.spec.kind == runner::Kind::measure && !options_.refresh.empty() &&
         !differences(*made.provenance, done_.provenance, &options_.refresh).empty();
}

// A server that this program does not control may have changed. Measurements made by a run that
// died count for the next run of its experiment; if sessions are added (--again), all measurements
// of the experiment count.
bool EarlierOutputs::is_measured_anew(const Stage& stage, const Made& made) const {
  if (!stage.running || stage.running->server.reuse) return false;
  const auto experiment = done_.experiments.find(made.run);
  if (experiment != done_.experiments.end() && experiment->second != plan_.matrix_name) return true;
  if (adds_sessions_) return false;
  const auto finished = done_.finished.find(plan_.matrix_name);
  return finished != done_.finished.end() && made.run <= finished->second;
}

EarlierFailures::EarlierFailures(const Plan& plan, const StageIndex& index, const Inputs& inputs)
    : plan_(plan), index_(index), done_(inputs.done), roots_(plan.stages.size()) {
  if (inputs.options.retry_failed) return;
  find_failed();
  if (!plan_.prune_by.empty()) find_pruned();
}

std::string EarlierFailures::why(const Stage& stage) const {
  const Stage* root = root_of(stage);
  const auto pruned = pruned_.find(index_.at(stage.id));
  return pruned != pruned_.end() ? pruned->second + "; --retry-failed tries it"
         : root == &stage        ? failed_why(stage)
                                 : fmt::format("needs {}, which {}", root->id, failed_why(*root));
}

std::string EarlierFailures::failed_why(const Stage& root) const {
  const FailedBefore& failed = done_.failed.at(root.digest);
  return fmt::format("failed in run {} ({}){}{}; --retry-failed tries it again", failed.run,
                     failed.failure_class, failed.message.empty() ? "" : ": ", failed.message);
}

void EarlierFailures::find_failed() {
  for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
    const Stage& stage = plan_.stages[i];
    if (stage.status != Status::idle) continue;
    for (const std::size_t need : index_.needs(stage))
      if (roots_[need]) roots_[i] = roots_[need];
    // The failure of a stage after --until does not count: the stage is not needed.
    if (stage.unknown.empty() && !stage.after_until && failed_for_good(stage)) roots_[i] = &stage;
  }
}

// A server that was not ready is tried again once its readiness or smoke request has changed.
bool EarlierFailures::failed_for_good(const Stage& stage) const {
  const auto failed = done_.failed.find(stage.digest);
  if (failed == done_.failed.end()) return false;
  if (stage.running || stage.spec.server) return false;  // another server may listen there by now
  const FailedBefore& before = failed->second;
  return before.failure_class != k_not_ready || before.probe.empty() ||
         before.probe == probe_text(stage.spec);
}

void EarlierFailures::find_pruned() {
  for (const Stage& stage : plan_.stages) {
    if (root_of(stage) != &stage || stage.spec.kind == runner::Kind::task) continue;
    const FailedBefore& failed = done_.failed.at(stage.digest);
    if (!is_out_of_memory(failed.failure_class) || has_served(stage)) continue;
    for (const std::size_t small : stage.points)
      for (const std::size_t large : pruned_by(plan_, small))
        prune(plan_.points[large], stage, pruned_why(plan_, small, failed.failure_class));
  }
}

// If a server fails under the load of one point, this says nothing about the memory that other
// points need; the failed measurement does.
bool EarlierFailures::has_served(const Stage& server) const {
  if (server.spec.kind != runner::Kind::service) return false;
  for (const std::size_t p : server.points)
    for (const StageId& id : plan_.points[p].stages) {
      const Stage& stage = plan_.stages[index_.at(id)];
      if (stage.spec.kind == runner::Kind::measure &&
          (done_.made.contains(stage.digest) || done_.failed.contains(stage.digest)))
        return true;
    }
  return false;
}

void EarlierFailures::prune(const PlannedPoint& point, const Stage& root, const std::string& why) {
  for (const StageId& id : point.stages) {
    const std::size_t i = index_.at(id);
    const Stage& stage = plan_.stages[i];
    if (stage.spec.kind != runner::Kind::measure || roots_[i] || stage.status != Status::idle)
      continue;
    roots_[i] = &root;
    pruned_[i] = why;
  }
}

}  // namespace orch::plan
