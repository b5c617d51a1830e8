// What a metric is, in words for a person: unit, formula, whose definition, how other tools differ.
// It measures nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// NAME is a metric, or one with a statistic: "ttft_ms", "ttft_ms_p99". "" when there is no such
// metric, or it has no such statistic.
std::string explain_metric(std::string_view name);

// Of all metrics, for completion and suggestions.
std::vector<std::string> metric_names();

// Metrics that people mean by WORD, in any case: those that begin with it ("ttft", "TTFT"), else
// those that have it among their words ("latency"). Empty for a whole name.
std::vector<std::string> metrics_meant_by(std::string_view word);

}  // namespace orch::cli
