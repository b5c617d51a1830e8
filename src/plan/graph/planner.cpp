#include "plan/graph/planner.hpp"

#include <unordered_set>

namespace orch::plan {

namespace {

// The default is `strict` for running servers, because what else runs on their hosts is unknown.
matrix::Isolation isolation_of(const Inputs& inputs) {
  if (inputs.matrix.measure.isolation) return *inputs.matrix.measure.isolation;
  const bool has_gpus = inputs.matrix.services.empty() && inputs.facts.gpu_model();
  return has_gpus ? matrix::Isolation::gpu : matrix::Isolation::strict;
}

}  // namespace

// Plans one point: which stages it has, for each combination of repeats.
class Planner::OnePoint {
 public:
  // Both must outlive this. IN gets the stages.
  OnePoint(Planner& in, const matrix::Point& point)
      : in_(in), point_(point), nodes_(in.nodes_), provided_(nodes_.size()) {
    const matrix::Matrix& matrix = in.inputs_.matrix;
    for (const std::size_t entry : point.provided)
      for (std::size_t node = 0; node < nodes_.size(); ++node)
        if (nodes_[node].kind->name == matrix.provide[entry].stage)
          provided_[node] = &matrix.provide[entry];
    if (in.server_) find_stated();
    else mark_wanted(true);
    const matrix::Measure& measure = matrix.measure;
    counts_ = {
        .build = measure.build_repeats, .serve = measure.serve_repeats, .measure = measure.repeats};
  }

  std::vector<StageId> stages(bool checked) {
    std::vector<StageId> stages = stages_of_repeats();
    if (checked) add_checks(stages);
    if (!point_.again) return stages;
    for (std::int64_t left = in_.inputs_.options.new_sessions; left > 0;) {
      ++(has_servers() ? counts_.serve : counts_.measure);
      stages = stages_of_repeats();
      if (!is_earlier()) --left;
    }
    return stages;
  }

 private:
  Index made_of(std::size_t node, std::size_t combination) const {
    return made_[node * combinations_ + combination];
  }

  bool has_servers() const {
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (wanted_[node] && nodes_[node].kind->kind == runner::Kind::service && !provided_[node])
        return true;
    return false;
  }

  // Whether all measurements of the last session were made by completed runs, or have failed: a
  // session begun by an interrupted run still counts as new.
  bool is_earlier() const {
    const Done& done = in_.inputs_.done;
    const auto finished = done.finished.find(in_.plan_.matrix_name);
    const std::int64_t last = finished == done.finished.end() ? 0 : finished->second;
    bool any = false;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].kind->kind != runner::Kind::measure || !wanted_[node]) continue;
      for (std::size_t combination = 0; combination < combinations_; ++combination) {
        const Repeats repeats = repeats_at(nodes_[node], combination);
        const bool newest = has_servers() ? repeats.serve == counts_.serve - 1
                                          : repeats.measure == counts_.measure - 1;
        const Index made = made_of(node, combination);
        if (!newest || made == k_absent) continue;
        any = true;
        const auto before = done.made.find(in_.plan_.stages[made].digest);
        if (!has_failed(node, combination) &&
            (before == done.made.end() || before->second.run > last))
          return false;
      }
    }
    return any;
  }

  // Whether the stage of NODE, or one that it needs, failed earlier. A failure shared by all
  // sessions does not count.
  bool has_failed(std::size_t node, std::size_t combination) const {
    const Inputs& inputs = in_.inputs_;
    const Index made = made_of(node, combination);
    const Node& at = nodes_[node];
    if (inputs.options.retry_failed || made == k_absent || !(at.by_serve || at.by_measure))
      return false;
    if (in_.server_) return false;  // another server may listen there by now
    return inputs.done.failed.contains(in_.plan_.stages[made].digest) ||
           std::ranges::any_of(at.needs,
                               [&](std::size_t need) { return has_failed(need, combination); });
  }

  std::vector<StageId> stages_of_repeats() {
    combinations_ = static_cast<std::size_t>(counts_.build * counts_.serve * counts_.measure);
    std::vector<StageId> stages;
    stages.reserve(nodes_.size());
    std::unordered_set<Index> listed;
    made_.assign(nodes_.size() * combinations_, k_absent);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!wanted_[node]) continue;
      for (std::size_t combination = 0; combination < combinations_; ++combination) {
        const Repeats repeats = repeats_at(nodes_[node], combination);
        const std::size_t first = combination_of(repeats);
        Index& made = made_[node * combinations_ + combination];
        if (first != combination) {
          made = made_of(node, first);
          continue;
        }
        made = find_or_make(node, combination, repeats);
        if (listed.insert(made).second) stages.push_back(in_.plan_.stages[made].id);
      }
    }
    return stages;
  }

  // Stages needed only by a running server are not made, and their parameters only describe that
  // server: points cannot differ in them.
  void find_stated() {
    mark_wanted(true);
    const std::vector<char> all = wanted_;
    mark_wanted(false);
    std::set<std::string> stated, read;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const runner::StageKind& kind = *nodes_[node].kind;
      const bool is_made = wanted_[node] && kind.kind != runner::Kind::service;
      if (all[node]) (is_made ? read : stated).insert(kind.reads.begin(), kind.reads.end());
    }
    for (const std::string& name : stated) {
      if (read.contains(name)) continue;
      stated_.push_back(name);
      const matrix::Value* value = point_.parameters.find(name);
      if (value && !point_.is_rejected()) in_.check_stated(name, value->text);
    }
  }

  // Stages needed only by absent or provided ones are absent, too. If STARTS_SERVERS is false, so
  // are stages needed only by servers.
  void mark_wanted(bool starts_servers) {
    wanted_.assign(nodes_.size(), false);
    const matrix::Dataset* fetched = fetched_dataset(in_.inputs_.matrix, point_);
    for (std::size_t node = nodes_.size(); node-- > 0;) {
      const auto& when = nodes_[node].kind->when;
      if (when && *when < point_.answers.size() && point_.answers[*when] == 0) continue;
      if (nodes_[node].fetches && !fetched) continue;
      if (nodes_[node].chooses_rows && !(fetched && !fetched->tokens.empty())) continue;
      const auto& needed_by = nodes_[node].needed_by;
      wanted_[node] =
          needed_by.empty() || std::ranges::any_of(needed_by, [&](std::size_t other) {
            return wanted_[other] && !provided_[other] &&
                   (starts_servers || nodes_[other].kind->kind != runner::Kind::service);
          });
    }
  }

  // The repeats of COMBINATION that distinguish stages of NODE; the others are 0.
  Repeats repeats_at(const Node& node, std::size_t combination) const {
    const auto measures = static_cast<std::size_t>(counts_.measure),
               serves = static_cast<std::size_t>(counts_.serve);
    Repeats repeats;
    if (node.by_measure) repeats.measure = static_cast<std::int64_t>(combination % measures);
    if (node.by_serve) repeats.serve = static_cast<std::int64_t>(combination / measures % serves);
    if (node.by_build) repeats.build = static_cast<std::int64_t>(combination / measures / serves);
    return repeats;
  }

  std::size_t combination_of(const Repeats& repeats) const {
    return static_cast<std::size_t>(
        (repeats.build * counts_.serve + repeats.serve) * counts_.measure + repeats.measure);
  }

  Index find_or_make(std::size_t node, std::size_t combination, const Repeats& repeats) {
    std::vector<const Stage*> needs = needs_of(node, combination);
    const bool is_running = in_.server_ && nodes_[node].kind->kind == runner::Kind::service;
    if (is_running) std::ranges::fill(needs, nullptr);
    return in_.find_or_make(nodes_[node], {.kind = *nodes_[node].kind,
                                           .point = point_,
                                           .needs = needs,
                                           .provided = provided_[node],
                                           .repeats = repeats,
                                           .server = is_running ? in_.server_ : nullptr,
                                           .stated = stated_,
                                           .isolation = in_.isolation_});
  }

  std::vector<const Stage*> needs_of(std::size_t node, std::size_t combination) const {
    std::vector<const Stage*> needs;
    needs.reserve(nodes_[node].needs.size());
    for (const std::size_t need : nodes_[node].needs) {
      const Index made = made_of(need, combination);
      needs.push_back(made == k_absent ? nullptr : &in_.plan_.stages[made]);
    }
    return needs;
  }

  // A point needs no check if the store has its measurement from a run that made it alone.
  void add_checks(std::vector<StageId>& stages) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!wanted_[node] || nodes_[node].kind->kind != runner::Kind::measure) continue;
      if (in_.plan_.stages[made_of(node, 0)].alone) continue;
      const std::vector<const Stage*> needs = needs_of(node, 0);
      Stage check = in_.instantiator_.make({.kind = *nodes_[node].kind,
                                            .point = point_,
                                            .needs = needs,
                                            .stated = stated_,
                                            .isolation = matrix::Isolation::strict});
      check.alone = check.is_check = true;
      stages.push_back(in_.plan_.stages[in_.add(std::move(check))].id);
    }
  }

  Planner& in_;
  const matrix::Point& point_;
  const std::vector<Node>& nodes_;
  std::vector<const matrix::Provision*> provided_;  // by node
  std::vector<char> wanted_;                        // by node: it applies, and the point needs it
  std::vector<std::string> stated_;                 // Instance::stated
  Repeats counts_;                                  // number of each repeat
  std::size_t combinations_ = 1;                    // their product
  std::vector<Index> made_;                         // node x combinations_ + combination
};

Planner::Planner(Plan& plan, const Inputs& inputs, Instantiator& instantiator)
    : plan_(plan), inputs_(inputs), isolation_(isolation_of(inputs)), instantiator_(instantiator) {
  const matrix::Matrix& matrix = inputs.matrix;
  const auto running = matrix.services.find(inputs.manifest.name);
  if (running != matrix.services.end()) server_ = &running->second;
  for (std::string& name : matrix::varied_parameters(matrix)) varied_.insert(std::move(name));
  for (const matrix::Expression& one : matrix.let) varied_.insert(one.name);
  std::unordered_map<std::string_view, std::size_t> index;
  for (const runner::StageKind& kind : inputs.manifest.stages) {
    Node node{.kind = &kind};
    node.fetches = mentions(kind, "{dataset.origin}");
    node.chooses_rows = mentions(kind, "{dataset.tokens}");
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

std::vector<StageId> Planner::stages_of(const matrix::Point& point, bool checked) {
  return OnePoint(*this, point).stages(checked);
}

void Planner::check_stated(const std::string& name, const std::string& value) {
  if (!varied_.contains(name)) return;
  const std::string& first = first_values_.emplace(name, value).first->second;
  if (first != value) instantiator_.refuse_varied(*server_, name, first, value);
}

Planner::Index Planner::find_or_make(const Node& node, const Instance& instance) {
  if (node.kind->kind == runner::Kind::measure) return measure(instance);
  // A stage that no other needs (a measurement) is hardly ever shared: a lookup by key would cost
  // more than it saves.
  if (node.needed_by.empty()) return add(instantiator_.make(instance));
  std::string key = instantiator_.key(instance);
  if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
  return by_key_[std::move(key)] = add(instantiator_.make(instance));
}

Planner::Index Planner::measure(Instance instance) {
  if (isolation_ != matrix::Isolation::strict && !inputs_.done.made.empty()) {
    instance.isolation = matrix::Isolation::strict;
    Stage strict = instantiator_.make(instance);
    strict.alone = true;
    if (strict.unknown.empty() && inputs_.done.made.contains(strict.digest))
      return add(std::move(strict));
    instance.isolation = isolation_;
  }
  return add(instantiator_.make(instance));
}

Planner::Index Planner::add(Stage stage) {
  const auto [known, is_new] = by_id_.try_emplace(stage.key, plan_.stages.size());
  if (is_new) plan_.stages.push_back(std::move(stage));
  return known->second;
}

}  // namespace orch::plan
