#include "plan/forecast/time_limits.hpp"

#include "plan/graph/stage_index.hpp"

#include <algorithm>

namespace orch::forecast {

namespace {

bool runs(const plan::Stage& stage) {
  return stage.status == plan::Status::run && stage.provided.empty();
}

std::vector<Overrun> longest_first(std::vector<Overrun> found) {
  std::ranges::stable_sort(
      found, [](const Overrun& a, const Overrun& b) { return a.seconds.to > b.seconds.to; });
  return found;
}

}  // namespace

std::vector<Overrun> overruns(const plan::Plan& plan) {
  std::vector<Overrun> found;
  for (const plan::Stage& stage : plan.stages) {
    if (!runs(stage) || stage.spec.kind == runner::Kind::service) continue;
    const Expected seconds = seconds_of(stage);
    if (seconds.to > stage.spec.timeout_s)
      found.push_back({.stage = &stage, .limit_s = stage.spec.timeout_s, .seconds = seconds});
  }
  return longest_first(std::move(found));
}

std::vector<Overrun> server_overruns(const plan::Plan& plan, double limit_s) {
  const plan::StageIndex index(plan);
  std::vector<Expected> lives(plan.stages.size());
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const plan::Stage& stage = plan.stages[i];
    if (!runs(stage)) continue;
    if (stage.spec.kind == runner::Kind::service) lives[i].add(seconds_of(stage));
    if (stage.spec.kind != runner::Kind::measure) continue;
    for (const std::size_t need : index.needs(stage))
      if (plan.stages[need].spec.kind == runner::Kind::service) lives[need].add(seconds_of(stage));
  }
  std::vector<Overrun> found;
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    if (plan.stages[i].spec.kind == runner::Kind::service && lives[i].to > limit_s)
      found.push_back({.stage = &plan.stages[i], .limit_s = limit_s, .seconds = lives[i]});
  return longest_first(std::move(found));
}

}  // namespace orch::forecast
