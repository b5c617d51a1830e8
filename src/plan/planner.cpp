#include "plan/planner.hpp"

namespace orch::plan {

Planner::Planner(Plan& plan, const Inputs& inputs, Instantiator& instantiator)
    : plan_(plan), matrix_(inputs.matrix), instantiator_(instantiator) {
  const matrix::Measure& measure = matrix_.measure;
  combinations_ =
      static_cast<std::size_t>(measure.build_repeats * measure.serve_repeats * measure.repeats);
  std::unordered_map<std::string_view, std::size_t> index;
  for (const runner::StageKind& kind : inputs.manifest.stages) {
    Node node{.kind = &kind, .needs = {}, .needed_by = {}};
    node.by_build = kind.repeat_build;
    node.by_serve = kind.kind == runner::Kind::service;
    node.by_measure = kind.kind == runner::Kind::measure || mentions(kind, "{repeat}");
    for (const std::string& need : kind.needs) {
      const std::size_t of = index.at(need);
      node.needs.push_back(of);
      nodes_[of].needed_by.push_back(nodes_.size());
      node.by_build |= nodes_[of].by_build;
      node.by_serve |= nodes_[of].by_serve;
      node.by_measure |= nodes_[of].by_measure;
    }
    index[kind.name] = nodes_.size();
    nodes_.push_back(std::move(node));
  }
  for (Index i = 0; i < plan.stages.size(); ++i) by_id_.emplace(plan.stages[i].key, i);
}

std::vector<StageId> Planner::stages_of(const matrix::Point& point) {
  settle(point);
  ++points_;
  std::vector<StageId> stages;
  stages.reserve(nodes_.size());
  made_.assign(nodes_.size() * combinations_, k_absent);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!wanted_[node]) continue;
    for (std::size_t combination = 0; combination < combinations_; ++combination) {
      const Repeats repeats = repeats_at(nodes_[node], combination);
      const std::size_t first = combination_of(repeats);
      Index& made = made_[node * combinations_ + combination];
      if (first != combination) {
        made = made_[node * combinations_ + first];
        continue;
      }
      made = find_or_make(node, point, combination, repeats);
      if (made >= listed_by_.size()) listed_by_.resize(plan_.stages.size());
      if (listed_by_[made] != points_) stages.push_back(plan_.stages[made].id);
      listed_by_[made] = points_;
    }
  }
  return stages;
}

// Which stages the point has. What only absent or provided stages would need is not there either.
void Planner::settle(const matrix::Point& point) {
  wanted_.assign(nodes_.size(), false);
  provided_.assign(nodes_.size(), nullptr);
  for (const std::size_t entry : point.provided)
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].kind->name == matrix_.provide[entry].stage)
        provided_[node] = &matrix_.provide[entry];
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    const auto& when = nodes_[node].kind->when;
    if (when && *when < point.answers.size() && point.answers[*when] == 0) continue;
    const auto& needed_by = nodes_[node].needed_by;
    wanted_[node] = needed_by.empty() ||
                    std::any_of(needed_by.begin(), needed_by.end(), [&](std::size_t other) {
                      return wanted_[other] && !provided_[other];
                    });
  }
}

// The repeats of COMBINATION that distinguish stages of NODE; the others are 0.
Repeats Planner::repeats_at(const Node& node, std::size_t combination) const {
  const auto measures = static_cast<std::size_t>(matrix_.measure.repeats),
             serves = static_cast<std::size_t>(matrix_.measure.serve_repeats);
  Repeats repeats;
  if (node.by_measure) repeats.measure = static_cast<std::int64_t>(combination % measures);
  if (node.by_serve) repeats.serve = static_cast<std::int64_t>(combination / measures % serves);
  if (node.by_build) repeats.build = static_cast<std::int64_t>(combination / measures / serves);
  return repeats;
}

std::size_t Planner::combination_of(const Repeats& repeats) const {
  return static_cast<std::size_t>((repeats.build * matrix_.measure.serve_repeats + repeats.serve) *
                                      matrix_.measure.repeats +
                                  repeats.measure);
}

Planner::Index Planner::find_or_make(std::size_t node, const matrix::Point& point,
                                     std::size_t combination, const Repeats& repeats) {
  std::vector<const Stage*> needs;
  needs.reserve(nodes_[node].needs.size());
  for (const std::size_t need : nodes_[node].needs) {
    const Index made = made_[need * combinations_ + combination];
    needs.push_back(made == k_absent ? nullptr : &plan_.stages[made]);
  }
  const Instance instance{.kind = *nodes_[node].kind,
                          .point = point,
                          .needs = needs,
                          .provided = provided_[node],
                          .repeats = repeats};
  // A stage that no other needs (a measurement) is hardly ever shared: a lookup by key would cost
  // more than it saves.
  if (nodes_[node].needed_by.empty()) return add(instantiator_.make(instance));
  std::string key = instantiator_.key(instance);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
  return by_key_[std::move(key)] = add(instantiator_.make(instance));
}

Planner::Index Planner::add(Stage stage) {
  const auto [known, is_new] = by_id_.try_emplace(stage.key, plan_.stages.size());
  if (is_new) plan_.stages.push_back(std::move(stage));
  return known->second;
}

}  // namespace orch::plan
