// A server's metrics page in Prometheus text format: parsed into a bounded map, merged with those
// of other servers, and compared. It does not know how a page is fetched.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/measure/metrics.hpp"
#include "bench/measure/series.hpp"

namespace orch::observe {

struct Sample {
  double value = 0;
  measure::SeriesKind kind = measure::SeriesKind::unknown;
  bool operator==(const Sample&) const = default;
};

// Keyed by the name of the series (SeriesName::text()). Values that are not finite are left out,
// since JSON cannot hold them, as are clocks and lines that are no series. The last value of a
// duplicate series counts. A series FAMILY_info that is too long becomes gauges
// FAMILY_info_LABEL of its numeric labels.
struct MetricsPage {
  std::map<std::string, Sample, std::less<>> series;
  std::int64_t left_out = 0;  // series beyond the limits below
};

inline constexpr std::size_t k_most_series = 10'000;
// Of these, series of families that are not Triton's.
inline constexpr std::size_t k_most_unknown_series = 1'000;
inline constexpr std::size_t k_longest_series = 1'024;  // bytes of a name with its labels

MetricsPage parse_metrics_page(std::string_view text);

// One page for several servers: counters are added, all other series are kept apart by a label
// `server` (1, 2, ...). A single page stays unchanged.
MetricsPage merge_pages(std::span<const MetricsPage> pages);

// Whether a counter is lower on AFTER than on BEFORE: it was reset, or the server restarted.
bool counters_reset(const MetricsPage& before, const MetricsPage& after);

// The sum of family NAME over all its labels; empty when the page has none.
std::optional<double> family_sum(const MetricsPage& page, std::string_view name);

// The counts of Triton's token-length histograms between two pages; empty where AFTER lacks one, or
// it decreased, or grew beyond the exact range of a double. A family that BEFORE lacks started at
// 0.
measure::ServerCounts counts_between(const MetricsPage& before, const MetricsPage& after);

// The values of a gauge during a window.
struct Range {
  double min = 0;
  double max = 0;
  double sum = 0;
  std::int64_t samples = 0;
};
using Ranges = std::map<std::string, Range, std::less<>>;

// Adds one sample of each gauge of PAGE, for at most k_most_series names.
void add_sample(Ranges& ranges, const MetricsPage& page);

}  // namespace orch::observe
