// Collects the figures of a file: names and statistics as a record holds them. Refuses numbers that
// cannot be figures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "bench/record/measurement.hpp"

namespace orch::imports {

inline constexpr double k_us_per_ms = 1e3;
inline constexpr double k_ms_per_s = 1e3;

class Figures {
 public:
  // STATISTIC "" or "mean": the mean, or the single value. A percentile that records have no column
  // for becomes a figure of its own, ttft_ms_p25. Error: VALUE is not finite, is too large, or is
  // negative; SIGNED figures may be negative.
  Status set(std::string_view name, std::string_view statistic, double value,
             bool is_signed = false);

  std::vector<record::NamedMetric> take() { return std::move(all_); }

 private:
  record::NamedMetric& named(std::string_view name);

  std::vector<record::NamedMetric> all_;
};

// The factor from UNIT, as tools write it ("ns", "ms", "sec", "microseconds"), to milliseconds.
std::optional<double> to_ms(std::string_view unit);

// TEXT in small letters, with '_' for all else, as the name of a figure: "Client Send" ->
// "client_send".
std::string snake_case(std::string_view text);

// The figure that a tool names THEIRS and we do not have: "perf_analyzer", "Client Send", "us" ->
// "perf_analyzer_client_send_us".
std::string name_of_theirs(std::string_view tool, std::string_view theirs, std::string_view unit);

}  // namespace orch::imports
