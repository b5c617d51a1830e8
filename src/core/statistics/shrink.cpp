#include "core/statistics/shrink.hpp"

namespace orch::statistics {
namespace {

constexpr std::size_t k_least = 3;

// Of the values that estimates without an error would have, around MEAN.
double true_variance(std::span<const Estimate> estimates, double mean) {
  double squares = 0;
  double noise = 0;
  for (const Estimate& one : estimates) {
    squares += (one.value - mean) * (one.value - mean);
    noise += one.standard_error * one.standard_error;
  }
  const auto n = static_cast<double>(estimates.size());
  return std::max(0.0, squares / (n - 1) - noise / n);
}

}  // namespace

std::vector<double> shrunk(std::span<const Estimate> estimates) {
  std::vector<double> out;
  double mean = 0;
  for (const Estimate& one : estimates) {
    out.push_back(one.value);
    mean += one.value / static_cast<double>(estimates.size());
  }
  if (estimates.size() < k_least) return out;
  const double variance = true_variance(estimates, mean);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double noise = estimates[i].standard_error * estimates[i].standard_error;
    if (noise > 0) out[i] = mean + variance / (variance + noise) * (out[i] - mean);
  }
  return out;
}

}  // namespace orch::statistics
