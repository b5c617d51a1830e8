// P values adjusted for the number of comparisons made at once. Knows no data and no level.
#pragma once

#include <span>
#include <vector>

namespace orch::statistics {

// Each result has the size and order of P_VALUES, whose entries are within 0..1, and may be
// compared with the level of a single test. No adjusted value is below its own, or above 1.

// Bounds the probability that any of the comparisons is a false alarm, whatever their dependence
// (Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of
// Statistics 6, 1979). For a gate.
std::vector<double> holm(std::span<const double> p_values);

// Bounds the expected share of false alarms among those that are reported, for independent or
// positively dependent comparisons (Benjamini, Hochberg: Journal of the Royal Statistical Society B
// 57, 1995). For exploring: 5 % of what it reports may be chance.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace orch::statistics
