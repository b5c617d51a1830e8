#include "core/statistics/holm.hpp"

#include <cassert>
#include <numeric>

namespace orch::statistics {
namespace {

// The indices of P_VALUES, the smallest value first.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double p = p_values[order[i]];
    assert(p >= 0 && p <= 1);
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double smallest = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const double p = p_values[order[i]];
    assert(p >= 0 && p <= 1);
    const double factor = static_cast<double>(order.size()) / static_cast<double>(i + 1);
    smallest = std::min(smallest, factor * p);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace orch::statistics
