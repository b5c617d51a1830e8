#include "plan/forecast/wider_stages.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace orch::forecast {

namespace {

using Names = std::set<std::string>;
using Stages = std::vector<const plan::Stage*>;

Names without(Names names, const std::string& name) {
  names.erase(name);
  return names;
}

// Those of STAGES that remain if all that differ in nothing but OPEN are one: the bytes of each.
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
  Widening way{.set = {}, .stages = rest.size(), .bytes = sum(remaining(stages, {})) - sum(rest)};
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
