// Whether enough requests were measured: the interval of a metric's mean, or of a closed loop's
// rate, is as narrow as was asked. It is worked out on a thread of its own, so that whoever tells
// it of requests goes on at once. It ends nothing by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "load/bench.hpp"
#include "measure/metrics.hpp"
#include "measure/request_record.hpp"

namespace orch::load {

// Whether METRIC is one of requests, of which there is an interval while a run goes on, or a rate,
// of which there is one in closed loops. Errors name those that are.
Status check_stop_metric(std::string_view metric, std::span<const record::Load> loads);

// Whether PARTS, of requests in the order of sending under WINDOW's kind of load, have an interval
// that is narrower than STOP asks, by a tenth.
bool is_narrow(const record::PrecisionTarget& stop, const measure::Window& window,
               std::span<const measure::Parts> parts);

// The interval must be narrower than was asked by a tenth, twice in a row, with an eighth more
// requests the second time: what is narrow by chance is not so for long, and requests that are
// under way when sending stops are still to count. Simulated: in 95 % of the runs that stop the
// interval over all of them is then as narrow as was asked, and it holds the truth as often as that
// of a run whose length was fixed beforehand.
class PrecisionMonitor {
 public:
  // The metric of STOP has passed check_stop_metric().
  PrecisionMonitor(const record::PrecisionTarget& stop, const record::Load& load);
  ~PrecisionMonitor();
  PrecisionMonitor(const PrecisionMonitor&) = delete;
  PrecisionMonitor& operator=(const PrecisionMonitor&) = delete;

  // Hears of requests that ended; returns what is known by now.
  bool tell(std::span<const measure::RequestRecord* const> ended);
  bool reached() const { return reached_.load(std::memory_order_relaxed); }
  // Hears of nothing more. CPU time that its thread took.
  std::int64_t stop();

 private:
  // Of one request that ended; its parts are empty where it does not know them.
  struct Ended {
    std::int64_t index = 0;
    std::optional<measure::Parts> parts;
  };

  void work();
  void sort_in(std::span<const Ended> news);

  record::PrecisionTarget stop_;
  const measure::MetricRow* metric_;
  measure::Window window_;  // without records: only its kind of load is asked for
  std::atomic<bool> reached_ = false;
  bool stopped_ = false;
  std::int64_t cpu_ns_ = 0;  // once its thread has ended
  std::vector<Ended> news_;
  std::mutex mutex_;  // of news_ and stopped_
  // Of the thread: those before the first one that is still under way, in the order of sending, and
  // those after it. The first of those that are under way together to end are the fastest, so they
  // wait for the others.
  std::vector<measure::Parts> whole_;
  std::map<std::int64_t, std::optional<measure::Parts>> ahead_;
  bool unknown_ = false;
  std::size_t next_look_ = 0;
  int narrow_in_a_row_ = 0;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace orch::load
