// Parts of the timed loop: a timer, the judgement of refusals, and progress reports.
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

// A timer of absolute deadlines in an epoll set.
class EpollTimer {
 public:
  // The timer's events carry TAG in EPOLL. Fails if the system has no descriptor left.
  static Result<std::unique_ptr<EpollTimer>> make(int epoll, std::uint32_t tag);

  // Fires at AT_NS of the monotonic clock, then every PERIOD_NS unless that is 0. AT_NS 0: never.
  Status arm(std::int64_t at_ns, std::int64_t period_ns = 0);
  // The number of deadlines that passed since the last call.
  std::uint64_t expired();

 private:
  static constexpr std::int64_t k_unknown = -1;

  system::Descriptor fd_;
  std::int64_t at_ns_ = k_unknown;  // the single armed deadline; 0: none
};

// Refusals of a server: whether a later request may succeed, and when to end a load that meets only
// refusals. Sends nothing.

enum class RefusalKind {
  permanent,  // the same request would be refused again
  internal,   // an error of the server that says nothing about the request
  busy,       // the server is overloaded or not ready: a later request may succeed
};

// The kind of a refusal with STATUS, as in a record. 200: a failure inside the answer.
RefusalKind refusal_kind(int status);

// Whether STATUS requires a token, or denies the permissions of the one sent.
bool lacks_permission(int status);

// Watches the first requests of a phase. Judges them in sending order, so that refusals of later
// requests do not overtake one that a server still works on. A busy server never ends a load: its
// capacity under overload is what the load measures.
class RefusalWatch {
 public:
  // A load ends after this many equal refusals in a row, or one per slot if it has more slots.
  static constexpr std::size_t k_least = 20;

  // Begins a phase with SLOTS requests in flight.
  void begin(std::size_t slots);
  // RECORDS: the requests of the phase in sending order; those in flight have no end_ns.
  void look(const std::deque<measure::RequestRecord>& records);

  // To be called when a request has succeeded: the load may no longer be abandoned.
  void end() { watching_ = false; }
  // Whether the load may still be abandoned, because no request has succeeded so far.
  bool watching() const { return watching_; }
  // Why the load should end; "" if it should not.
  const std::string& reason() const { return reason_; }

 private:
  void judge(const measure::RequestRecord& record);

  bool watching_ = false;
  std::size_t needed_ = k_least;
  std::size_t judged_ = 0;    // records
  std::size_t in_a_row_ = 0;  // equal refusals
  int status_ = 0;            // of these refusals
  std::string reason_;
};

// Reports the progress of a phase every second. The timed loop only counts; it neither waits for
// this thread nor prints.

// Progress counters: written by one thread, read by others.
struct Tally {
  std::atomic<std::int64_t> sent = 0;
  std::atomic<std::int64_t> ended = 0;   // of those sent, those whose answers ended
  std::atomic<std::int64_t> failed = 0;  // of those ended
  std::atomic<std::int64_t> tokens = 0;  // of the answers that were read, as far as known

  static void add(std::atomic<std::int64_t>& count, std::int64_t more = 1) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

// "120 of 500 requests, 9.7 req/s, 1240 tok/s, 16 in flight, 3 failed, 12 s of 60 s". The rates are
// means since the start. MAX_REQUESTS and LIMIT_S are the limits of the phase; 0: no limit.
std::string progress_text(const Tally& tally, std::int64_t max_requests, double elapsed_s,
                          double limit_s);

class PhaseProgress {
 public:
  // Calls REPORT, which must outlive this object, from its own thread with LABEL and the progress,
  // and with "" at the end. An empty REPORT is never called.
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
  observe::Periodic thread_;  // last: it uses the members above
};

}  // namespace orch::load
