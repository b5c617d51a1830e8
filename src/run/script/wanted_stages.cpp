#include "run/script/wanted_stages.hpp"

#include <algorithm>

namespace orch::script {

using plan::Stage;
using runner::Kind;

namespace {

bool may_be_final(const Stage& stage) { return !is_left_out(stage.status) && !stage.after_until; }

}  // namespace

bool is_left_out(plan::Status status) {
  return status == plan::Status::reject || status == plan::Status::undecided ||
         status == plan::Status::failed;
}

WantedStages::WantedStages(const plan::Plan& plan) : plan_(plan) {
  name_variables();
  find_wanted();
  group();
}

std::string WantedStages::variable_of(const plan::StageId& id) const {
  const auto found = variables_.find(id);
  return found == variables_.end() ? "" : found->second;
}

const Stage* WantedStages::stage_of(const std::string& variable) const {
  const auto found = stages_.find(variable);
  return found == stages_.end() ? nullptr : found->second;
}

// Names are as short as possible: four digits of the digest, more only if that is needed to make
// them unique.
void WantedStages::name_variables() {
  for (std::size_t digits = 4; variables_.size() < plan_.stages.size(); ++digits) {
    std::map<std::string, std::vector<const Stage*>> same;
    for (const Stage& stage : plan_.stages)
      if (!variables_.contains(stage.id))
        same[fmt::format("{}_{}", stage.spec.name,
                         stage.id.substr(stage.spec.name.size() + 1, digits))]
            .push_back(&stage);
    for (const auto& [name, stages] : same)
      if (stages.size() == 1) {
        variables_[stages.front()->id] = name;
        stages_[name] = stages.front();
      }
  }
}

// Works backwards from the final stages of the plan or of --until, so that a stage that is needed
// only for a provided output is not made.
void WantedStages::find_wanted() {
  std::set<plan::StageId> needed;
  for (const Stage& stage : plan_.stages)
    for (const auto& [name, id] : stage.needs)
      if (may_be_final(stage)) needed.insert(id);
  for (const Stage& stage : plan_.stages)
    if (may_be_final(stage) && !needed.contains(stage.id)) wanted_.insert(stage.id);
  for (auto stage = plan_.stages.rbegin(); stage != plan_.stages.rend(); ++stage)
    if (is_to_make(*stage))
      for (const auto& [name, id] : stage->needs) wanted_.insert(id);
}

bool WantedStages::is_to_make(const Stage& stage) const {
  return wanted_.contains(stage.id) && stage.provided.empty();
}

void WantedStages::group() {
  std::set<plan::StageId> there;
  for (const Stage& stage : plan_.stages) {
    if (is_to_make(stage)) made_.push_back(&stage);
    if (stage.provided.empty()) continue;
    there.insert(stage.id);
    if (wanted_.contains(stage.id)) provided_.push_back(&stage);
  }
  const auto is_ready = [&](const Stage& stage) {
    return std::ranges::all_of(stage.needs,
                               [&](const auto& need) { return there.contains(need.second); });
  };
  for (const Stage* first : made_) {
    if (first->spec.kind != Kind::task || there.contains(first->id)) continue;
    Tasks together = {first};
    if (first->spec.batch)
      for (const Stage* stage : made_)
        if (stage != first && !there.contains(stage->id) && stage->spec.name == first->spec.name &&
            stage->spec.runner == first->spec.runner && stage->spec.argv == first->spec.argv &&
            is_ready(*stage))
          together.push_back(stage);
    for (const Stage* stage : together) there.insert(stage->id);
    tasks_.push_back(std::move(together));
  }
  for (const Stage* service : made_) {
    if (service->spec.kind != Kind::service) continue;
    Session session{service, {}};
    for (const Stage* stage : made_)
      if (stage->spec.kind == Kind::measure &&
          std::ranges::any_of(stage->needs,
                              [&](const auto& need) { return need.second == service->id; }))
        session.measurements.push_back(stage);
    if (session.measurements.empty()) continue;
    std::ranges::stable_sort(session.measurements,
                             [](const Stage* a, const Stage* b) { return a->repeat < b->repeat; });
    sessions_.push_back(std::move(session));
  }
}

}  // namespace orch::script
