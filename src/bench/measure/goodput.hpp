// Goodput: the rate of requests that satisfy an SQL expression over the metrics of one request.
#pragma once

#include "bench/measure/metrics.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::measure {

struct Goodput {
  // Good requests / (last response or failure - first send); nullopt if requests succeeded but none
  // had a value for any term.
  std::optional<double> requests_per_s = {};
  std::int64_t good = 0;
  std::int64_t of = 0;  // requests that were sent
  // One sentence for each term that was undefined for a successful request.
  std::vector<std::string> left_out = {};
};

// Fails unless EXPRESSION can be evaluated.
Status check_goodput(std::string_view expression);

// EXPRESSION may use the name of every metric that is defined per request; in an open loop ttft_ms
// and request_latency_ms count from the scheduled send. Its terms are the operands of the outermost
// AND. A term that is NULL for a request, because a metric is undefined for it (itl_ms of one
// token), is ignored for that request. A request is good if it succeeded, at least one term is
// defined, and every defined term is true.
Result<Goodput> goodput(std::string_view expression, const Window& window);

// Parses the name of a series on a server's metrics page, `family{label="value",...}`, and
// recognises the families of Triton and its TensorRT-LLM backend.

struct SeriesName {
  std::string family;
  std::map<std::string, std::string, std::less<>> labels = {};  // values without escapes

  // The name as it is stored: labels sorted by name.
  std::string text() const;
};

// Reads the name at the beginning of LINE and sets END past it. nullopt if there is none: no name,
// a label without quotes, an unterminated value.
std::optional<SeriesName> read_series_name(std::string_view line, std::size_t& end);

enum class SeriesKind {
  gauge,    // a state: its values are meaningful, its growth is not
  counter,  // grows; the sums and counts of histograms and summaries are counters
  unknown,  // the page does not declare it
};

std::string_view name_of(SeriesKind kind);

// The kind of SERIES, given the type that the page declares for its family ("" for none).
// TensorRT-LLM declares everything as a gauge, so its iteration counter is recognised by its
// labels.
SeriesKind kind_of(const SeriesName& series, std::string_view declared);

// Whether FAMILY belongs to Triton, its backend or the GPUs.
bool is_known_family(std::string_view family);
// Whether SERIES is a clock: seconds up to TensorRT-LLM 0.11, microseconds from 0.12 on.
bool is_timestamp(const SeriesName& series);

}  // namespace orch::measure
