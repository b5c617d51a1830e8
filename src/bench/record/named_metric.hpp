// A metric by its name and statistics, wherever it was computed. It knows no formula.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "bench/measure/statistic_names.hpp"

namespace orch::record {

// Records of other versions and programs hold metrics that this one does not compute.
struct NamedMetric {
  std::string name;
  std::optional<double> mean;  // or the single value
  std::array<std::optional<double>, k_suffixed_statistics.size()> statistics = {};
};

}  // namespace orch::record
