// A server's metrics page in Prometheus text format: read as a bounded map, several servers' put
// together, compared.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "measure/metrics.hpp"
#include "measure/series.hpp"

namespace orch::observe {

struct Sample {
  double value = 0;
  measure::SeriesKind kind = measure::SeriesKind::unknown;
  bool operator==(const Sample&) const = default;
};

// By the name of the series (SeriesName::text()). Values that are not finite are left out: JSON has
// no word for them. So are clocks and what is no series; of a series that stands twice the last
// value counts.
struct MetricsPage {
  std::map<std::string, Sample, std::less<>> series;
  std::int64_t left_out = 0;  // series beyond the limits below
};

inline constexpr std::size_t k_most_series = 10'000;
inline constexpr std::size_t k_most_unknown_series =
    1'000;  // of these, of families that are not Triton's
inline constexpr std::size_t k_longest_series = 1'024;  // bytes of a name with its labels

MetricsPage parse_metrics_page(std::string_view text);

// One page for several servers: counters are added, everything else stands side by side under a
// label `server` (1, 2, ...). A single page stays as it is.
MetricsPage together(std::span<const MetricsPage> pages);

// Whether a counter is lower on AFTER than it was on BEFORE: somebody set it back, or the server
// began anew.
bool went_back(const MetricsPage& before, const MetricsPage& after);

// The sum of family NAME over all its labels; empty when the page has none.
std::optional<double> family_sum(const MetricsPage& page, std::string_view name);

// What Triton's token-length histograms say of the time between two pages; empty where AFTER has
// none, and where it went back, or by more than can be counted. A family that BEFORE lacks began at
// zero.
measure::ServerCounts growth(const MetricsPage& before, const MetricsPage& after);

// What a gauge was while a window lasted.
struct Range {
  double min = 0;
  double max = 0;
  double sum = 0;
  std::int64_t samples = 0;
};
using Ranges = std::map<std::string, Range, std::less<>>;

// Adds the gauges of PAGE, one more sample. Names that change from page to page add no more than
// k_most_series.
void add_sample(Ranges& ranges, const MetricsPage& page);

}  // namespace orch::observe
