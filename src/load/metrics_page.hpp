// A server's metrics page in Prometheus text format: fetched with our own client, read as a flat map, compared.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "load/endpoint.hpp"
#include "measure/metrics.hpp"

namespace orch::load {

// "name{labels}" as written -> value. Values that are not finite are left out: JSON has no word for them.
using MetricsPage = std::map<std::string, double, std::less<>>;

MetricsPage parse_metrics_page(std::string_view text);

// GET URL, blocking, for at most TIMEOUT_MS. Errors: no connection, no complete answer in time, a status other than 200.
Result<std::string> http_get(const Url& url, int timeout_ms);

// The sum of family NAME over all its labels; empty when the page has none.
std::optional<double> family_sum(const MetricsPage& page, std::string_view name);

// What Triton's token-length histograms say of the time between two pages; empty where AFTER has none. A family that
// BEFORE lacks began at zero.
measure::ServerCounts growth(const MetricsPage& before, const MetricsPage& after);

}  // namespace orch::load
