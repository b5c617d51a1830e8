// The statistics of a Triton server per model, and the time that a request spent in each step
// during a window. It parses the answer of GET /v2/models/stats; gRPC fills the same structs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace orch::observe {

// The number of executions of a step, and their total time.
struct Spent {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
  bool operator==(const Spent&) const = default;
};

// Totals since the model was loaded. Members have Triton's names.
struct ModelStatistics {
  std::string model;
  std::string version;
  std::uint64_t inference_count = 0;  // a request of a batch of 8 is 8
  std::uint64_t execution_count = 0;  // a batch of requests counts once
  Spent success, fail, queue, compute_input, compute_infer, compute_output, cache_hit, cache_miss;
  bool operator==(const ModelStatistics&) const = default;
};

// Each model and version once, sorted.
using StatisticsPage = std::vector<ModelStatistics>;

inline constexpr std::size_t k_most_models = 1'000;
inline constexpr std::size_t k_longest_model_name = 256;

// Errors: no JSON, nested too deeply, or no list `model_stats`. Entries without a usable name,
// duplicates and those beyond k_most_models are left out; a missing or negative number is 0.
Result<StatisticsPage> parse_model_statistics(std::string_view text);

// One model during a window. Times are means over the requests with that step; empty without any.
struct ModelTimes {
  std::string model;
  std::string version;
  std::uint64_t requests = 0;  // successful
  std::uint64_t failed = 0;
  std::uint64_t inferences = 0;
  std::uint64_t executions = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
  std::optional<double> request_ms, queue_ms, compute_input_ms, compute_infer_ms, compute_output_ms;
  bool restarted = false;  // a counter decreased: the model was reloaded, earlier work is lost
};

// BEFORE and AFTER hold one page per server, in the same order. A model that is new in AFTER
// started at zero; one without work in between, or missing in AFTER, is left out.
std::vector<ModelTimes> model_times(std::span<const StatisticsPage> before,
                                    std::span<const StatisticsPage> after);

// A warning if MODEL answered clearly more requests than the client SENT.
std::optional<std::string> foreign_requests_warning(std::span<const ModelTimes> models,
                                                    std::string_view model, std::int64_t sent);

}  // namespace orch::observe
