// Goodput: the rate of requests that meet an SQL expression over the metrics of one request. Does
// not know where the expression comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/measure/metrics.hpp"

namespace orch::measure {

struct Goodput {
  // Good requests / (last response or failure - first send); empty when no request had a value for
  // any term.
  std::optional<double> requests_per_s;
  std::int64_t good = 0;
  std::int64_t of = 0;  // requests that were sent
  // One sentence for each term that was undefined for some request that succeeded.
  std::vector<std::string> left_out;
};

// Whether EXPRESSION can be evaluated. All unknown names, or SQLite's message, are one error.
Status check_goodput(std::string_view expression);

// EXPRESSION may use the name of every metric that is defined per request; in an open loop ttft_ms
// and request_latency_ms count from the scheduled send. Its terms are the operands of the outermost
// AND. A term that is NULL for a request, because a metric is undefined for it (itl_ms of one
// token), is ignored for that request. A request is good when it succeeded, at least one term is
// defined, and every defined term is true.
Result<Goodput> goodput(std::string_view expression, const Window& window);

}  // namespace orch::measure
