// What a Triton server has counted of each of its models, and what they spent on a request while a
// window lasted. It knows the answer of GET /v2/models/stats; a gRPC server says the same in the
// same words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace orch::observe {

// How often something was done, and how long that took altogether.
struct Spent {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
  bool operator==(const Spent&) const = default;
};

// Since the model was loaded. Named as Triton names it.
struct ModelStatistics {
  std::string model;
  std::string version;
  std::uint64_t inference_count = 0;  // a request of a batch of 8 is 8
  std::uint64_t execution_count = 0;  // what ran together is one
  Spent success, fail, queue, compute_input, compute_infer, compute_output, cache_hit, cache_miss;
  bool operator==(const ModelStatistics&) const = default;
};

// Each model and version once, in their order.
using StatisticsPage = std::vector<ModelStatistics>;

inline constexpr std::size_t k_most_models = 1'000;
inline constexpr std::size_t k_longest_model_name = 256;

// Errors: no JSON, nested too deeply, or no list `model_stats`. An entry without a usable name, a
// second one of the same name, and those beyond k_most_models are left out; a number that is
// missing or negative is 0.
Result<StatisticsPage> parse_model_statistics(std::string_view text);

// What a model did while a window lasted. Times are means over the requests that had that step;
// empty where none had.
struct ModelTimes {
  std::string model;
  std::string version;
  std::uint64_t requests = 0;  // that succeeded
  std::uint64_t failed = 0;
  std::uint64_t inferences = 0;
  std::uint64_t executions = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
  std::optional<double> request_ms, queue_ms, compute_input_ms, compute_infer_ms, compute_output_ms;
  bool restarted =
      false;  // a counter shrank: it was loaded anew, and what it did before that is lost
};

// BEFORE and AFTER hold a page for each server, in the same order. A model that was not there
// before began at zero; one that did nothing in between, or is gone, is left out.
std::vector<ModelTimes> model_times(std::span<const StatisticsPage> before,
                                    std::span<const StatisticsPage> after);

// That MODEL answered more requests than the SENT, if it did so by more than a count that lags
// explains.
std::optional<std::string> requests_of_others(std::span<const ModelTimes> models,
                                              std::string_view model, std::int64_t sent);

}  // namespace orch::observe
