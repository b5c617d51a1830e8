#include "plan/graph/comparison.hpp"

#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace orch::plan {

namespace {

using Names = std::set<std::string>;

bool names_runner(const matrix::Settings& sets) {
  return std::ranges::any_of(sets,
                             [](const auto& set) { return set.first == matrix::k_runner_key; });
}

// The parameters that an axis or an entry of `include` sets together with `runner`.
Names set_beside_runners(const matrix::Matrix& matrix) {
  Names names = {std::string(matrix::k_runner_key)};
  const auto add = [&](const matrix::Settings& sets) {
    for (const auto& [name, value] : sets) names.insert(name);
  };
  for (const matrix::Axis& axis : matrix.axes) {
    const bool of_runners = std::ranges::any_of(
        axis.values, [](const matrix::AxisValue& value) { return names_runner(value.sets); });
    if (of_runners)
      for (const matrix::AxisValue& value : axis.values) add(value.sets);
  }
  for (const matrix::Include& entry : matrix.include)
    if (names_runner(entry.sets)) add(entry.sets);
  return names;
}

class Comparer {
 public:
  Comparer(const Plan& plan, const matrix::Matrix& matrix,
           const std::vector<std::span<const matrix::Parameter>>& parameters)
      : plan_(plan) {
    const Names beside = set_beside_runners(matrix);
    for (const std::string& name : matrix::varied_parameters(matrix))
      if (!beside.contains(name)) out_.by.push_back(name);
    for (std::size_t runner = 0; runner < parameters.size(); ++runner)
      for (const matrix::Parameter& parameter : parameters[runner]) {
        if (contains(out_.by, parameter.name)) continue;
        if (parameter.is_compared) compared_.insert(parameter.name);
        declared_[parameter.name].insert(runner);
      }
  }

  Comparison compare() {
    std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < plan_.points.size(); ++i)
      if (plan_.points[i].status != Status::reject) groups[key_of(plan_.points[i])].push_back(i);
    for (const auto& [key, points] : groups) compare(points);
    for (const std::string& name : compared_)
      if (out_.groups && !differing_.contains(name))
        (unknown_.contains(name) ? out_.unknown : out_.equal).push_back(name);
    for (auto& [values, groups_with] : found_)
      out_.differences.push_back({.parameter = values.first,
                                  .values = values.second,
                                  .groups = groups_with,
                                  .is_compared = compared_.contains(values.first)});
    std::stable_partition(out_.differences.begin(), out_.differences.end(),
                          [](const Difference& one) { return one.is_compared; });
    return std::move(out_);
  }

 private:
  using Values = std::vector<std::vector<std::string>>;  // [runner]

  static std::string value_of(const PlannedPoint& point, const std::string& name) {
    const matrix::Value* value = point.point.parameters.find(name);
    return value ? value->text : "";
  }

  std::vector<std::string> key_of(const PlannedPoint& point) const {
    std::vector<std::string> key;
    for (const std::string& name : out_.by) key.push_back(value_of(point, name));
    return key;
  }

  void compare(const std::vector<std::size_t>& points) {
    std::set<std::size_t> runners;
    for (const std::size_t point : points) runners.insert(plan_.points[point].runner);
    if (runners.size() < 2) return;
    ++out_.groups;
    for (const auto& [name, having] : declared_) {
      std::set<std::size_t> both;
      std::set_intersection(runners.begin(), runners.end(), having.begin(), having.end(),
                            std::inserter(both, both.end()));
      if (both.size() > 1) compare(name, both, points);
    }
  }

  void compare(const std::string& name, const std::set<std::size_t>& runners,
               const std::vector<std::size_t>& points) {
    Values values(plan_.runners.size());
    for (const std::size_t point : points) {
      const PlannedPoint& planned = plan_.points[point];
      if (!runners.contains(planned.runner)) continue;
      if (is_unknown(planned.point, name)) return void(unknown_.insert(name));
      auto& own = values[planned.runner];
      if (const std::string value = value_of(planned, name); !contains(own, value))
        own.push_back(value);
    }
    const auto& first = values[*runners.begin()];
    const bool same =
        std::ranges::all_of(runners, [&](std::size_t runner) { return values[runner] == first; });
    if (same && contains(first, "")) unknown_.insert(name);  // without a value, equality is unknown
    if (same) return;
    differing_.insert(name);
    ++found_[{name, values}];
  }

  const Plan& plan_;
  Comparison out_;
  Names compared_, differing_, unknown_;
  std::map<std::string, std::set<std::size_t>> declared_;  // name -> runners
  std::map<std::pair<std::string, Values>, std::size_t> found_;
};

}  // namespace

Comparison compare_runners(const Plan& plan, const matrix::Matrix& matrix,
                           const std::vector<std::span<const matrix::Parameter>>& parameters) {
  return plan.runners.size() < 2 ? Comparison() : Comparer(plan, matrix, parameters).compare();
}

}  // namespace orch::plan
