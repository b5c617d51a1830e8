// Metrics and parameters that people know: their units, which direction is better, and in which
// order they are shown. Reads nothing.
#pragma once

#include "analysis/page/report.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

struct KnownMetric {
  std::string_view name, family, unit;
  page::Better better;
  std::string_view in_table;  // statistics with a column of a report's table, "mean" among them
};

// The most telling first.
std::span<const KnownMetric> known_metrics();

// The metric of COLUMN, whose name may end in a statistic, such as ttft_ms_p99. Null for a metric
// that is not ours.
const KnownMetric* known_metric(std::string_view column);

// The most telling first, then by name.
std::vector<std::string> parameters_in_order(const std::set<std::string>& names);

}  // namespace orch::report
