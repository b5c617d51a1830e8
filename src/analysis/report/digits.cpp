#include "analysis/report/digits.hpp"

#include <cmath>

namespace orch::report {

namespace {

constexpr int k_most_decimals = 9;

// The power of ten of the first digit of SIZE, which is greater than 0.
int magnitude(double size) { return static_cast<int>(std::floor(std::log10(size))); }

int decimals_of(double value, const Limits& limits) {
  static constexpr int k_without_limits = 4, k_least = 2;
  const double size = std::fabs(value);
  const int first = size > 0 ? magnitude(size) : 0;
  const double half = limits.low && limits.high ? (*limits.high - *limits.low) / 2 : 0;
  if (half > 0) return std::max(1 - magnitude(half), k_least - 1 - first);
  return value == std::floor(value) ? 0 : k_without_limits - 1 - first;
}

std::string in_decimals(double value, int decimals) {
  const double size = std::fabs(value);
  if (!std::isfinite(value) || size >= 1e15 || (size > 0 && size < 1e-4))
    return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, k_most_decimals));
}

// The beginnings of warnings about disturbances.
constexpr std::string_view k_disturbances[] = {"other programs used", "another client used"};

// The figures with their signs changed so that less is better; nullopt if one is unknown.
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

std::string figure(double value, const Limits& limits) {
  return in_decimals(value, decimals_of(value, limits));
}

std::string interval(double value, const Limits& limits) {
  const int decimals = decimals_of(value, limits);
  if (limits.low && limits.high)
    return fmt::format("{} to {}", in_decimals(*limits.low, decimals),
                       in_decimals(*limits.high, decimals));
  if (limits.low) return "≥ " + in_decimals(*limits.low, decimals);
  if (limits.high) return "≤ " + in_decimals(*limits.high, decimals);
  return "";
}

bool tells_disturbance(std::string_view warnings) {
  return std::ranges::any_of(k_disturbances, [warnings](std::string_view text) {
    return warnings.find(text) != std::string_view::npos;
  });
}

bool tells_bursts(std::string_view warnings) {
  return warnings.find("the stream arrived in bursts") != std::string_view::npos;
}

std::vector<bool> front_of(std::span<const Candidate> candidates,
                           std::span<const Direction> directions) {
  struct Known {
    std::vector<double> costs;
    std::size_t at;
  };
  std::vector<Known> known;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (auto costs = costs_of(candidates[i], directions)) known.push_back({std::move(*costs), i});
  // In this order only an earlier candidate can beat a later one, and if one does, a candidate on
  // the front does too.
  std::ranges::sort(known, {}, &Known::costs);
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
