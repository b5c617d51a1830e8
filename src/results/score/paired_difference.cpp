#include "results/score/paired_difference.hpp"

#include "core/statistics/student.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orch::score {

PairedDifference paired_difference(std::span<const double> differences, double scale) {
  PairedDifference out{.pairs = differences.size()};
  if (differences.empty()) return out;
  double largest = 0, sum = 0;
  for (const double one : differences) {
    out.differing += one != 0;
    largest = std::max(largest, std::abs(one));
    sum += one;
  }
  out.mean = sum / static_cast<double>(out.pairs);
  std::vector<double> all(differences.begin(), differences.end());
  all.push_back(largest > 0 ? largest : scale);
  all.push_back(-all.back());
  const auto n = static_cast<double>(all.size());
  const double center = sum / n;
  double squares = 0;
  for (const double one : all) squares += (one - center) * (one - center);
  const double half = statistics::student_quantile(0.975, n - 1) * std::sqrt(squares / (n - 1) / n);
  out.limits = {.low = center - half, .high = center + half};
  return out;
}

}  // namespace orch::score
