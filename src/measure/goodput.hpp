// How many requests were good enough for their users, by an SQL expression over the metrics of one
// request. It does not know where the expression was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "measure/metrics.hpp"

namespace orch::measure {

struct Goodput {
  std::optional<double> requests_per_s;  // good ones / (last response or failure - first send);
                                         // empty: no request had a value for any term
  std::int64_t good = 0;
  std::int64_t of = 0;  // requests that were sent
  // One sentence for each term that could not be judged of every request that succeeded.
  std::vector<std::string> left_out;
};

// Whether EXPRESSION can be evaluated: unknown names, and what SQLite says of it, are one error.
Status check_goodput(std::string_view expression);

// EXPRESSION reads every metric of the table that is one of a request, by name; in an open loop
// ttft_ms and request_latency_ms mean those from the scheduled send. Its terms are what AND joins
// at its top. A term that is NULL for a request, because a metric is undefined for it (itl_ms of
// one token), is left out there; a request is good when it succeeded, a term is left, and all that
// are left are true.
Result<Goodput> goodput(std::string_view expression, const Window& window);

}  // namespace orch::measure
