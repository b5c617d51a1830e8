// Whether enough requests were measured: the interval of a metric's mean is as narrow as was asked. It is worked out on a thread of
// its own, so that whoever tells it of requests goes on at once. It ends nothing by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "load/bench.hpp"
#include "measure/metrics.hpp"
#include "measure/request_record.hpp"

namespace orch::load {

// Whether METRIC is one of requests, of which there is an interval while a run goes on. Errors name those that are.
Status check_stop_metric(std::string_view metric);

// Whether VALUES, in the order of sending, have an interval of their mean that is as narrow as STOP asks.
bool is_narrow(const StopAt& stop, std::span<const double> values);

// A run that stops when its interval is narrow has looked at it many times, and so misses the true mean somewhat more often
// than one of a length that was fixed beforehand.
class Enough {
 public:
  // The metric of STOP has passed check_stop_metric().
  Enough(const StopAt& stop, bool open_loop);
  ~Enough();
  Enough(const Enough&) = delete;
  Enough& operator=(const Enough&) = delete;

  // Hears of requests that ended; returns what is known by now.
  bool tell(std::span<const measure::RequestRecord* const> ended);
  bool reached() const { return reached_.load(std::memory_order_relaxed); }
  // Hears of nothing more. CPU time that its thread took.
  std::int64_t stop();

 private:
  using Values = std::vector<std::pair<std::int64_t, double>>;  // by the order of sending

  void work();

  StopAt stop_;
  const measure::MetricRow* metric_;
  measure::Window window_;  // without records: only its kind of load is asked for
  std::atomic<bool> reached_ = false;
  bool stopped_ = false;
  std::int64_t cpu_ns_ = 0;  // once its thread has ended
  Values news_;
  std::mutex mutex_;  // of news_ and stopped_
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace orch::load
