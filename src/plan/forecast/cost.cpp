#include "plan/forecast/cost.hpp"

#include "core/base/text.hpp"
#include "plan/graph/stage_index.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace orch::forecast {

using plan::Plan;
using plan::PlannedPoint;
using plan::Stage;
using plan::StageId;
using plan::StageIndex;
using plan::Status;

namespace {

using Names = std::set<std::string>;
using Stages = std::vector<const plan::Stage*>;

constexpr double k_seconds_per_hour = 3600;

// Adds TIMES attempts of STAGE.
void add(Cost& cost, const Stage& stage, std::size_t times = 1) {
  const auto count = static_cast<double>(times);
  cost.stages += times;
  if (!stage.estimate.seconds) cost.without_seconds += times;
  cost.seconds.add(seconds_of(stage), count);
  cost.gpu_hours.add(seconds_of(stage), count * stage.gpus / k_seconds_per_hour);
  if (stage.spec.kind == runner::Kind::service) return;  // services have no output
  if (!stage.estimate.bytes) cost.without_bytes += times;
  cost.bytes += times * stage.estimate.bytes.value_or(0);
}

// Adds the time for which SERVICE holds its GPUs while MEASUREMENT runs TIMES times.
void hold(Cost& cost, const Stage& service, const Stage& measurement, std::size_t times = 1) {
  cost.gpu_hours.add(seconds_of(measurement),
                     static_cast<double>(times) * service.gpus / k_seconds_per_hour);
}

template <class Visit>
void for_each_service(const Plan& plan, const StageIndex& index, const Stage& stage,
                      const Visit& visit) {
  if (stage.spec.kind != runner::Kind::measure) return;
  for (const std::size_t need : index.needs(stage))
    if (plan.stages[need].spec.kind == runner::Kind::service) visit(plan.stages[need]);
}

// For how many points a loop makes STAGE: those that are known to be able to run.
std::size_t in_a_loop(const Plan& plan, const Stage& stage) {
  if (!stage.provided.empty() || stage.after_until) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(stage.points, [&](std::size_t p) {
    return plan.points[p].status == Status::run || plan.points[p].status == Status::reuse;
  }));
}

// The names of the stages, in the order in which points have them. A stage that only some points
// have precedes the stages that follow it in those points.
std::vector<std::string> stage_names(const Plan& plan, const StageIndex& index) {
  std::vector<std::string> names;
  for (const PlannedPoint& point : plan.points) {
    auto at = names.begin();
    for (const StageId& id : point.stages) {
      const std::string& name = plan.stages[index.at(id)].spec.name;
      if (at != names.end() && *at == name) continue;
      const auto known = std::ranges::find(names, name);
      if (known != names.end()) at = known;
      else at = names.insert(at == names.end() ? at : at + 1, name);
    }
  }
  return names;
}

// The cost of making each stage TIMES_OF(stage) times.
template <class TimesOf> Cost cost_of(const Plan& plan, const TimesOf& times_of) {
  const StageIndex index(plan);
  Cost cost;
  for (const Stage& stage : plan.stages) {
    const std::size_t times = times_of(stage);
    add(cost, stage, times);
    for_each_service(plan, index, stage,
                     [&](const Stage& service) { hold(cost, service, stage, times); });
  }
  return cost;
}

bool runs(const plan::Stage& stage) {
  return stage.status == plan::Status::run && stage.provided.empty();
}

std::vector<Overrun> longest_first(std::vector<Overrun> found) {
  std::ranges::stable_sort(
      found, [](const Overrun& a, const Overrun& b) { return a.seconds.to > b.seconds.to; });
  return found;
}

Names without(Names names, const std::string& name) {
  names.erase(name);
  return names;
}

// The sizes of those of STAGES that remain if stages that differ only in OPEN are merged.
std::vector<std::uint64_t> remaining(const Stages& stages, const Names& open) {
  std::map<std::string, std::uint64_t> different;
  for (const plan::Stage* stage : stages) {
    std::string key = std::to_string(stage->session);
    for (const auto& [name, id] : stage->needs) key += '\0' + id;
    for (const auto& [name, value] : stage->parameters)
      if (!open.contains(name)) key += '\0' + name + '\0' + value.text;
    std::uint64_t& bytes = different[key];
    bytes = std::max(bytes, stage->estimate.bytes.value_or(0));
  }
  std::vector<std::uint64_t> each;
  for (const auto& [key, bytes] : different) each.push_back(bytes);
  return each;
}

std::uint64_t sum(const std::vector<std::uint64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

std::string largest(const Stages& stages, const std::string& name) {
  const plan::Stage* most = nullptr;
  double value = 0;
  for (const plan::Stage* stage : stages) {
    const auto found = stage->parameters.find(name);
    const double own =
        found == stage->parameters.end() ? 0 : to_real(found->second.text).value_or(0);
    if (own > value) {
      value = own;
      most = stage;
    }
  }
  return most ? most->parameters.at(name).text : "";
}

Widening widening(const Stages& stages, const Names& open) {
  const std::vector<std::uint64_t> rest = remaining(stages, open);
  Widening way{.stages = rest.size(), .bytes = sum(remaining(stages, {})) - sum(rest)};
  for (const std::string& name : open) way.set.emplace_back(name, largest(stages, name));
  return way;
}

std::vector<Widening> ways_of(const Stages& stages, Names open) {
  const std::size_t least = remaining(stages, open).size();
  if (least == stages.size()) return {};
  for (const std::string& name : Names(open))
    if (remaining(stages, without(open, name)).size() == least) open.erase(name);
  std::vector<Widening> ways = {widening(stages, open)};
  for (const std::string& name : open)
    if (Widening way = widening(stages, without(open, name)); way.stages < stages.size())
      ways.push_back(std::move(way));
  return ways;
}

}  // namespace

void Expected::add(const Expected& other, double times) {
  least += times * other.least;
  from += times * other.from;
  usual += times * other.usual;
  to += times * other.to;
}

Expected seconds_of(const Stage& stage) {
  const plan::Estimate& estimate = stage.estimate;
  const double usual = estimate.seconds.value_or(0);
  const bool by_manifest = estimate.to_seconds > 0;
  return {.least = estimate.least_seconds,
          .from = by_manifest ? estimate.from_seconds : usual,
          .usual = usual,
          .to = by_manifest ? estimate.to_seconds : usual};
}

Cost cost_of_run(const Plan& plan) {
  return cost_of(plan, [](const Stage& stage) { return stage.status == Status::run ? 1 : 0; });
}

Cost cost_of_loop(const Plan& plan) {
  return cost_of(plan, [&](const Stage& stage) { return in_a_loop(plan, stage); });
}

Disk disk_of_run(const Plan& plan) {
  const StageIndex index(plan);
  Disk disk;
  const auto bytes_of = [](const Stage& stage) -> std::uint64_t {
    return stage.status == Status::run ? stage.estimate.bytes.value_or(0) : 0;
  };
  std::map<std::vector<std::size_t>, std::uint64_t> going;  // by needs of measurements
  for (const Stage& stage : plan.stages) {
    if (!stage.passing) disk.remaining += bytes_of(stage);
    if (stage.spec.kind != runner::Kind::measure || stage.status != Status::run) continue;
    const auto [known, is_new] = going.try_emplace(index.needs(stage), 0);
    if (!is_new) continue;
    const auto needs_of = [&](std::size_t need) { return index.needs(plan.stages[need]); };
    for (const std::size_t need : plan::with_needs(known->first, needs_of))
      if (plan.stages[need].passing) known->second += bytes_of(plan.stages[need]);
    disk.at_once = std::max(disk.at_once, known->second);
  }
  disk.at_once += disk.remaining;
  return disk;
}

std::vector<StageCount> count_stages(const Plan& plan) {
  const StageIndex index(plan);
  std::vector<StageCount> counts;
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (const std::string& name : stage_names(plan, index)) counts.push_back({.stage = name});
  for (std::size_t i = 0; i < counts.size(); ++i) row_of[counts[i].stage] = i;
  for (const Stage& stage : plan.stages) {
    StageCount& row = counts[row_of.at(stage.spec.name)];
    ++row.all;
    row.in_a_loop += in_a_loop(plan, stage);
    switch (stage.status) {
      case Status::run: ++row.run; break;
      case Status::reuse: ++row.reuse; break;
      case Status::idle: ++row.idle; break;
      case Status::reject: ++row.reject; break;
      case Status::undecided: ++row.undecided; break;
      case Status::failed: ++row.failed; break;
    }
    if (stage.status != Status::run) continue;
    add(row.run_cost, stage);
    for_each_service(plan, index, stage, [&](const Stage& service) {
      hold(counts[row_of.at(service.spec.name)].run_cost, service, stage);
    });
  }
  return counts;
}

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

std::vector<WiderStages> wider_stages(const plan::Plan& plan,
                                      std::span<const runner::Manifest* const> manifests) {
  std::vector<WiderStages> found;
  for (const runner::Manifest* manifest : manifests)
    for (const runner::StageKind& kind : manifest->stages) {
      if (!kind.agree || kind.agree->at_least.empty()) continue;
      Names open;
      for (const auto& [name, path] : kind.agree->at_least) open.insert(name);
      Stages stages;
      for (const plan::Stage& stage : plan.stages) {
        if (stage.spec.runner != manifest->name || stage.spec.name != kind.name ||
            stage.status != plan::Status::run || !stage.provided.empty())
          continue;
        stages.push_back(&stage);
      }
      if (std::vector<Widening> ways = ways_of(stages, open); !ways.empty())
        found.push_back({.stage = kind.name, .stages = stages.size(), .ways = std::move(ways)});
    }
  return found;
}

}  // namespace orch::forecast
