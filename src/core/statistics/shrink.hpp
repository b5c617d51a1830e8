// The winner's curse: the best of many noisy estimates is too good on average. Shrinks estimates
// towards their mean by the share of their spread that is noise. Knows no metric.
#pragma once

#include <span>
#include <vector>

namespace orch::statistics {

struct Estimate {
  double value = 0;  // the logarithm, where errors are in percent
  double standard_error = 0;
};

// Empirical Bayes with a normal prior: mean + v / (v + se^2) * (value - mean), where v = max(0,
// variance of the values - mean of se^2) is the true spread (Efron, Morris: Journal of the American
// Statistical Association 70, 1975). In the order of ESTIMATES; fewer than three are returned as
// they are, because they do not tell spread from noise.
std::vector<double> shrunk(std::span<const Estimate> estimates);

}  // namespace orch::statistics
