// Prints the time of metrics_of for windows of several sizes. Checks nothing.
#include "bench/measure/metrics.hpp"
#include "core/base/random.hpp"

#include <chrono>
#include <cmath>

#include <fmt/core.h>

namespace {

using orch::measure::RequestRecord;

// A closed loop of eight slots whose latencies are correlated.
std::vector<RequestRecord> records_of(int requests, int tokens) {
  orch::Random random(1);
  std::vector<RequestRecord> records(static_cast<std::size_t>(requests));
  std::int64_t now = 0;
  double z = random.normal();
  for (RequestRecord& record : records) {
    z = 0.7 * z + 0.7 * random.normal();
    record.sent_ns = now;
    record.due_ns = now;
    record.isl = 128;
    record.osl_counted = tokens;
    record.streamed = true;
    std::int64_t at = now;
    for (int i = 0; i < tokens; ++i) {
      at += static_cast<std::int64_t>(1e7 * std::exp(0.2 * z + 0.1 * random.normal()));
      record.event_ns.push_back(at);
    }
    record.end_ns = at;
    now += (at - now) / 8;
  }
  return records;
}

void measure(int requests, int tokens) {
  const std::vector<RequestRecord> records = records_of(requests, tokens);
  orch::measure::Window window{.records = records, .server = {}, .client = {}};
  window.concurrency = 8;
  double best = 1e9;
  for (int i = 0; i < 60; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto metrics = orch::measure::metrics_of(window);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (!metrics.empty()) best = std::min(best, took.count());
  }
  fmt::print("{:6} requests of {:4} tokens: {:8.3f} ms\n", requests, tokens, best);
}

}  // namespace

int main() {
  measure(100, 32);
  measure(100, 128);
  measure(1000, 128);
  measure(5000, 256);
}
