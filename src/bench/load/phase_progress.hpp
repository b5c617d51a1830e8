// Reports the progress of a phase every second. The timed loop only counts; it neither waits for
// this thread nor prints.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bench/observe/periodic.hpp"

namespace orch::load {

// Progress counters: written by one thread, read by others.
struct Tally {
  std::atomic<std::int64_t> sent = 0;
  std::atomic<std::int64_t> ended = 0;   // of those sent, those whose answers ended
  std::atomic<std::int64_t> failed = 0;  // of those ended
  std::atomic<std::int64_t> tokens = 0;  // of the answers that were read, as far as known so far

  static void add(std::atomic<std::int64_t>& count, std::int64_t more = 1) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

// "120 of 500 requests, 9.7 req/s, 1240 tok/s, 16 in flight, 3 failed, 12 s of 60 s". The rates are
// means since the beginning. MAX_REQUESTS and LIMIT_S are the limits of the phase; 0: no limit.
std::string progress_text(const Tally& tally, std::int64_t max_requests, double elapsed_s,
                          double limit_s);

class PhaseProgress {
 public:
  // Calls REPORT, which outlives it, from a thread of its own with LABEL and the progress, and with
  // "" at the end. An empty REPORT is never called.
  PhaseProgress(const std::function<void(std::string_view)>& report, std::string label,
                std::int64_t max_requests, double limit_s);
  ~PhaseProgress() { stop(); }

  Tally* tally() { return report_ ? &tally_ : nullptr; }
  // Ends the thread and returns its CPU time.
  std::int64_t stop();

 private:
  void report_now() const;

  const std::function<void(std::string_view)>& report_;
  const std::string label_;
  const std::int64_t max_requests_;
  const double limit_s_;
  const std::int64_t begin_ns_;
  Tally tally_;
  bool stopped_ = false;
  observe::Periodic thread_;  // last: it uses the others
};

}  // namespace orch::load
