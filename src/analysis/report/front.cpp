#include "analysis/report/front.hpp"

#include <algorithm>
#include <cmath>

namespace orch::report {

namespace {

// The figures with signs such that less is better.
std::optional<std::vector<double>> costs_of(const Candidate& candidate,
                                            std::span<const Direction> directions) {
  if (candidate.size() != directions.size()) return {};
  std::vector<double> costs;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (!candidate[i] || std::isnan(*candidate[i])) return {};
    costs.push_back(directions[i] == Direction::lower_is_better ? *candidate[i] : -*candidate[i]);
  }
  return costs;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

std::vector<bool> front_of(std::span<const Candidate> candidates,
                           std::span<const Direction> directions) {
  struct Known {
    std::vector<double> costs;
    std::size_t at;
  };
  std::vector<Known> known;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (auto costs = costs_of(candidates[i], directions)) known.push_back({std::move(*costs), i});
  // In this order only an earlier candidate can beat a later one, and if any does, one on the front
  // does.
  std::ranges::sort(known, [](const Known& a, const Known& b) { return a.costs < b.costs; });
  std::vector<bool> out(candidates.size());
  std::vector<const Known*> front;
  for (const Known& candidate : known) {
    const bool beaten = std::ranges::any_of(
        front, [&](const Known* other) { return beats(other->costs, candidate.costs); });
    if (beaten) continue;
    front.push_back(&candidate);
    out[candidate.at] = true;
  }
  return out;
}

}  // namespace orch::report
