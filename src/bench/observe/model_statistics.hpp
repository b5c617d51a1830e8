// A Triton server's statistics per model, and the mean time that a request spent in each step
// during a window. Parses the answer of GET /v2/models/stats; gRPC fills the same structs.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"
#include "core/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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
  std::uint64_t inference_count = 0;  // a request with a batch of 8 counts as 8
  std::uint64_t execution_count = 0;  // a batch of requests counts once
  Spent success = {}, fail = {}, queue = {}, compute_input = {}, compute_infer = {};
  Spent compute_output = {}, cache_hit = {}, cache_miss = {};
  bool operator==(const ModelStatistics&) const = default;
};

// One entry per model and version.
using StatisticsPage = std::vector<ModelStatistics>;

inline constexpr std::size_t k_most_models = 1'000;
inline constexpr std::size_t k_longest_model_name = 256;

// Errors: not JSON, nested too deeply, or no list `model_stats`. Entries without a usable name,
// duplicates and those beyond k_most_models are left out; a missing or negative number is 0.
Result<StatisticsPage> parse_model_statistics(std::string_view text);

// One model during a window. Times are means over the requests with that step; nullopt without any.
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
  bool restarted = false;  // a counter decreased: the model was reloaded, earlier work is missing
};

// BEFORE and AFTER have one page per server, in the same order. A model that is new in AFTER
// started at zero; one without work in between, or missing from AFTER, is left out.
std::vector<ModelTimes> model_times(std::span<const StatisticsPage> before,
                                    std::span<const StatisticsPage> after);

// A warning if MODEL answered clearly more requests than the client SENT.
std::optional<std::string> foreign_requests_warning(std::span<const ModelTimes> models,
                                                    std::string_view model, std::int64_t sent);

// Reads the statistics of all models of a Triton server, over HTTP or gRPC.

// GET /v2/models/stats under the URL of SERVER. Errors: not_found if the server has no such page,
// invalid if the page is not statistics, unavailable if it does not answer.
Result<StatisticsPage> read_statistics_http(const wire::Url& server,
                                            const wire::Access& access = {});
// The same by ModelStatistics of the gRPC service at SERVER.
Result<StatisticsPage> read_statistics_grpc(const wire::Url& server,
                                            const wire::Access& access = {});

// The statistics of several servers in successive windows. After a failure, the statistics of the
// window are unknown; the next window tries again.
class StatisticsWatch {
 public:
  // Reads the statistics of one server.
  using Read = std::function<Result<StatisticsPage>(const wire::Url& server)>;

  // MODEL is the one under load. READ may be null: nothing is read.
  StatisticsWatch(std::vector<wire::Url> servers, std::string model, Read read)
      : servers_(std::move(servers)), model_(std::move(model)), read_(std::move(read)) {}

  // Call before the warm-up.
  void read_baseline();
  // Call between the warm-up, which had SUCCEEDED successful requests, and the window.
  void begin_window(std::int64_t succeeded) { before_ = read_counted(succeeded); }
  // Call after the window. nullopt if the statistics are unknown.
  std::optional<std::vector<ModelTimes>> end_window(std::int64_t succeeded);

  // Why the statistics are unknown; "" if they are known, or if a server never had such a page
  // (not_found, or invalid: a different page).
  const std::string& error() const { return error_; }

 private:
  using Pages = std::vector<StatisticsPage>;  // one per server

  std::optional<Pages> read();
  std::optional<Pages> read_counted(std::int64_t succeeded);
  std::uint64_t requests_since(const Pages& before, const Pages& now) const;

  std::vector<wire::Url> servers_;
  std::string model_;
  Read read_;
  std::optional<Pages> before_;
  bool has_statistics_ = false;  // they were read once
  bool failed_ = false;          // reading them failed in this window
  std::string error_;
};

// Rereads a server's own figures until they cover all answered requests.

inline constexpr int k_page_timeout_ms = 2000;

// Servers count a request shortly after its answer has ended. Calls READ, which returns an optional
// page, until IS_SETTLED(previous, page) is true (PREVIOUS is an optional, nullopt at first), 200
// ms have passed, or READ returns nothing. Returns the last page.
template <class Read, class IsSettled> auto read_settled(Read read, IsSettled is_settled) {
  constexpr std::int64_t k_longest_ns = 200'000'000;
  constexpr std::chrono::milliseconds k_step(5);
  const std::int64_t deadline_ns = wire::monotonic_ns() + k_longest_ns;
  decltype(read()) previous;
  while (true) {
    auto page = read();
    if (!page || is_settled(previous, *page) || wire::monotonic_ns() > deadline_ns) return page;
    previous = std::move(page);
    std::this_thread::sleep_for(k_step);
  }
}

}  // namespace orch::observe
