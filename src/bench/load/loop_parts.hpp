// A timer of absolute deadlines in an epoll set. It does not know what is due.
#pragma once

#include "bench/measure/request_record.hpp"
#include "bench/observe/metrics_page.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace orch::load {

class EpollTimer {
 public:
  // Its events carry TAG in the epoll set. Fails when the system has no descriptor left.
  static Result<std::unique_ptr<EpollTimer>> make(int epoll, std::uint32_t tag);

  // Fires at AT_NS of the monotonic clock, then every PERIOD_NS unless that is 0. AT_NS 0: never.
  Status arm(std::int64_t at_ns, std::int64_t period_ns = 0);
  // The number of deadlines that passed since the last call.
  std::uint64_t expired();

 private:
  static constexpr std::int64_t k_unknown = -1;

  system::Descriptor fd_;
  std::int64_t at_ns_ = k_unknown;  // the single deadline that is armed, 0: none
};

// Refusals of a server: whether a later request may succeed, and when a load that meets nothing but
// refusals should end. It sends nothing.

enum class RefusalKind {
  permanent,  // the same request would be refused again
  internal,   // an error of the server that says nothing about the request
  busy,       // the server is overloaded or not ready: a later request may succeed
};

// The kind of a refusal with STATUS, as a record holds it. 200: a failure inside the answer.
RefusalKind refusal_kind(int status);

// Whether STATUS asks for a token, or denies the permissions of the one sent.
bool lacks_permission(int status);

// Watches the first requests of a phase. It judges them in the order of sending, so a request that
// a server still works on is not overtaken by refusals of later ones. Capacity under overload is
// what a load measures: a busy server never ends it.
class RefusalWatch {
 public:
  // Equal refusals in a row that end a load with fewer slots; more slots need one for each.
  static constexpr std::size_t k_least = 20;

  // A new phase, which has SLOTS requests in flight.
  void begin(std::size_t slots);
  // RECORDS: the requests of the phase in the order of sending; those under way have no end_ns.
  void look(const std::deque<measure::RequestRecord>& records);

  // A request has succeeded: the load may not be given up any more.
  void end() { watching_ = false; }
  // No request has succeeded so far, and the load may still be given up.
  bool watching() const { return watching_; }
  // Why the load should end; "" if it should not.
  const std::string& reason() const { return reason_; }

 private:
  void judge(const measure::RequestRecord& record);

  bool watching_ = false;
  std::size_t needed_ = k_least;
  std::size_t judged_ = 0;    // records
  std::size_t in_a_row_ = 0;  // equal refusals
  int status_ = 0;            // of these
  std::string reason_;
};

// Reports the progress of a phase every second. The timed loop only counts; it neither waits for
// this thread nor prints.

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
