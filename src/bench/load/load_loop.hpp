// The timed loop: one thread and one epoll. Sends turns that are due over free slots and stamps
// every read; parses the bytes between batches of events, while no socket is ready.
#pragma once

#include "bench/load/loop_parts.hpp"
#include "bench/load/response_reader.hpp"
#include "bench/load/slots.hpp"
#include "bench/load/turns.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/record/record_json.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/transport.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orch::load {

// The loop's parts: Turns decide what is sent next and when, Slots carry it, Deadlines and the
// Supervisor end requests and phases early, and the Receiver turns the answers into records.
class LoadLoop final : private wire::Transport::Listener {
 public:
  struct Options {
    RecordReader::Options reading;
    const std::atomic<bool>* stopped = nullptr;  // borrowed; once true, run() ends early
    std::vector<wire::Endpoint> endpoints;       // slot I belongs to endpoint I modulo their number
    wire::Access access = {};
    int connect_timeout_ms = wire::k_connect_timeout_ms;
    // With ask_to_stop, each request gets its own id.
    Deadlines::Options deadlines = {};
    record::AnswerSpool* answers = nullptr;  // borrowed; takes the answers from the records
  };

  // The outcome of one phase. Times are those of the monotonic clock.
  struct Phase {
    // In sending order, without requests that were never sent or were cut off.
    std::vector<measure::RequestRecord> records;
    measure::ClientHealth client;
    std::int64_t start_ns = 0;
    std::int64_t wall_ns = 0;    // until the last answer was read
    std::string give_up_reason;  // why the loop gave up sending; "" if it did not
    // `stopped` was set: sending ended, and requests in flight were cut off.
    bool interrupted = false;
    // Due times of the requests that were cut off, from the start of the phase.
    std::vector<std::int64_t> cut_off_due_ns;
    // Due times of scheduled requests that were never sent; at most k_most_unsent of them.
    std::vector<std::int64_t> unsent_due_ns;
    std::size_t unsent = 0;  // number of all scheduled requests that were never sent
  };

  static constexpr std::size_t k_most_unsent = 100'000;

  explicit LoadLoop(Options options);

  // Opens connections for SLOTS concurrent requests. Fails if the server cannot be reached.
  Status open(wire::SlotId slots);
  // Sends, and returns when every sent request has ended. A failed request is a record. The loop
  // stops sending if more consecutive exchanges with one server break than the server has slots, or
  // if the first requests of the phase are all refused in the same way (RefusalWatch). Fails only
  // if the operating system refuses a timer.
  Result<Phase> run(const SendPlan& plan);

 private:
  void on_end(wire::SlotId slot) override { ended_.push_back(slot); }
  void on_many(wire::SlotId slot) override { receiver_.note_many(slot); }
  void drain_idle_connections();
  void begin(const SendPlan& plan);
  Status arm_probe();
  void send_first();
  void send_due();
  void start(wire::SlotId slot, Turn turn);
  void take_ended();
  void serve_events();
  void on_probe();
  bool is_interrupted() const {
    return options_.stopped != nullptr && options_.stopped->load(std::memory_order_relaxed);
  }
  void interrupt();
  Result<Phase> conclude(std::int64_t cpu_before_ns, const wire::Transport::Counters& before);

  Options options_;
  system::Descriptor epoll_;
  std::unique_ptr<EpollTimer> probe_;
  std::unique_ptr<EpollTimer> due_;
  Turns turns_;
  Slots slots_;
  Supervisor supervisor_;
  Deadlines deadlines_;
  Receiver receiver_;
  std::vector<wire::SlotId> ended_;  // slots whose exchanges ended, noted by the transport
  std::int64_t next_probe_ns_ = 0;
  Phase phase_;  // the running one
};

}  // namespace orch::load
