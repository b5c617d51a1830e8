// Decides whether a load has reached its precision target: the interval of a metric's mean, or of a
// closed loop's rate, is narrow enough. Computes the interval on its own thread, so that the timed
// loop never waits. Stops nothing itself.
#pragma once

#include "bench/load/bench.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/measure/request_record.hpp"
#include "core/base/result.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace orch::load {

// Fails unless METRIC has an interval during a run: a metric of single requests, or a rate in a
// closed loop. The error for an unknown METRIC lists the known ones.
Status check_precision_metric(std::string_view metric, std::span<const record::Load> loads);

// Whether the interval of PARTS is narrower than the target STOP by a tenth. PARTS: of requests in
// sending order; WINDOW gives the kind of load.
bool is_narrow(const record::PrecisionTarget& stop, const measure::Window& window,
               std::span<const measure::Parts> parts);

// The interval of the requests that have ended so far. It must be narrower than the target by a
// tenth, twice in a row, the second time with an eighth more requests: an interval that is narrow
// by chance soon widens, and requests in flight still count after sending stops. In simulations,
// 95 % of the stopped runs end with an interval as narrow as the target, and it covers the truth as
// often as that of a run of fixed length.
class PrecisionCheck {
 public:
  // One ended request; its parts are nullopt if it has no value of the metric.
  struct Ended {
    std::int64_t index = 0;
    std::optional<measure::Parts> parts;
  };

  // The metric of STOP has passed check_precision_metric().
  PrecisionCheck(const record::PrecisionTarget& stop, const record::Load& load);

  // The part of RECORD in the metric. May be called while another thread is in add().
  Ended part_of(const measure::RequestRecord& record) const;
  // Adds requests that have ended, in any order. Returns whether the target is reached.
  bool add(std::span<const Ended> ended);

 private:
  void insert_in_order(std::span<const Ended> ended);

  const record::PrecisionTarget stop_;
  const measure::MetricRow& metric_;
  measure::Window window_;  // without records: only its kind of load matters
  // Ended requests before the first one still in flight, in sending order, and those after it. The
  // latter are not used yet: of several requests in flight, the fastest end first.
  std::vector<measure::Parts> in_order_;
  std::map<std::int64_t, std::optional<measure::Parts>> out_of_order_;
  bool has_unknown_ = false;
  std::size_t next_check_ = 0;
  int narrow_in_a_row_ = 0;
};

// Runs a PrecisionCheck on its own thread.
class PrecisionMonitor {
 public:
  // The metric of STOP has passed check_precision_metric().
  PrecisionMonitor(const record::PrecisionTarget& stop, const record::Load& load);
  ~PrecisionMonitor();
  PrecisionMonitor(const PrecisionMonitor&) = delete;
  PrecisionMonitor& operator=(const PrecisionMonitor&) = delete;

  // Adds requests that have ended. Returns reached().
  bool add(std::span<const measure::RequestRecord* const> ended);
  bool reached() const { return reached_.load(std::memory_order_relaxed); }
  // Ends the thread and returns its CPU time.
  std::int64_t stop();

 private:
  void run();

  PrecisionCheck check_;
  std::atomic<bool> reached_ = false;
  bool stopped_ = false;
  std::int64_t cpu_ns_ = 0;  // set when the thread ends
  std::vector<PrecisionCheck::Ended> queue_;
  std::mutex mutex_;  // of queue_ and stopped_
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace orch::load
