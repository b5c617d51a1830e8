// The timed loop: one thread, one epoll, slots that each carry one request at a time. It sends what
// is due and stamps every read; the bytes are parsed between batches of events, while no socket is
// ready. It knows neither prompts nor metrics.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/load/loop_parts.hpp"
#include "bench/load/response_reader.hpp"
#include "bench/measure/metrics.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/record/record_json.hpp"
#include "os/system/files.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"

namespace orch::load {

// A request made ahead of the loop.
struct PreparedRequest {
  std::string bytes;
  std::optional<std::int64_t> isl;  // sum over its prompts
  std::int64_t osl = 1;             // requested, sum over its answers
  std::size_t id_at = 0;            // offset of its id, for requests that a stop request names
};

// The requests of one phase and their timing.
struct SendPlan {
  // Sent in this order. When they are used up, sending starts again with the first.
  std::span<const PreparedRequest> requests;
  // Requests in flight. With due times it is a limit; 0: no limit.
  std::int64_t concurrency = 1;
  // Due times from the start of the phase; empty: a request is sent when a slot is free.
  std::optional<std::span<const std::int64_t>> due_ns = {};
  std::size_t max_requests = 0;  // 0: all due times, or no limit
  std::int64_t duration_ns = 0;  // sending stops after this time; 0: it does not
  // Called now and then with the records that were finished since the last call; true stops the
  // sending. Must return at once.
  std::function<bool(std::span<const measure::RequestRecord* const>)> should_stop = {};
  Tally* tally = nullptr;  // borrowed; progress counters
};

class LoadLoop final : private wire::Transport::Listener {
 public:
  using AskToStop = std::function<void(std::size_t server, std::uint64_t id)>;

  struct Options {
    RecordReader::Options reading;
    const std::atomic<bool>* stopped = nullptr;  // borrowed; once true, run() ends early
    std::vector<wire::Endpoint> endpoints;       // slot I belongs to endpoint I modulo their number
    wire::Access access = {};
    int connect_timeout_ms = wire::k_connect_timeout_ms;
    std::int64_t timeout_ns = 0;  // of one request, from its send
    // The client stops a request after this time, to the millisecond; 0: never.
    std::int64_t stop_after_ns = 0;
    // Asks the server to stop the request ID; must return at once. Each request then gets an id of
    // its own. Empty: a request is stopped by closing its stream.
    AskToStop ask_to_stop = {};
    record::AnswerSpool* answers = nullptr;  // borrowed; takes the answers out of the records
  };

  // The outcome of one phase. Times are those of the monotonic clock.
  struct Phase {
    // In the order of sending, without requests that were never sent or were cut off.
    std::vector<measure::RequestRecord> records;
    measure::ClientHealth client;
    std::int64_t start_ns = 0;
    std::int64_t wall_ns = 0;    // until the last answer was read
    std::string give_up_reason;  // why due requests were left unsent; "" if all were sent
    // `stopped` was set: sending ended, and requests in flight were cut off.
    bool interrupted = false;
    // Due times of the requests that were cut off, from the start of the phase.
    std::vector<std::int64_t> cut_off_due_ns;
    // Due times of scheduled requests that were never sent; at most k_most_unsent of them.
    std::vector<std::int64_t> unsent_due_ns;
    std::size_t unsent = 0;  // number of all unsent requests
  };

  static constexpr std::size_t k_most_unsent = 100'000;

  explicit LoadLoop(Options options);
  ~LoadLoop() override;

  // Opens connections for SLOTS concurrent requests. Fails when the server cannot be reached.
  Status open(wire::SlotId slots);
  // Sends and returns when every sent request has ended. A failed request is a record. The loop
  // gives up sending when more exchanges with one server break in a row than the server has slots,
  // or when its first requests are all refused alike (RefusalWatch). Fails only when the operating
  // system refuses a timer.
  Result<Phase> run(const SendPlan& plan);

 private:
  struct Slot;
  struct Finished;

  void on_end(wire::SlotId slot) override;
  void on_many(wire::SlotId slot) override;
  void drain_idle_connections();
  void begin(const SendPlan& plan);
  void send_due();
  void start_next(wire::SlotId slot, std::int64_t due_ns);
  std::string_view bytes_to_send(Slot& slot) const;
  bool may_send() const;
  std::optional<wire::SlotId> free_slot();
  std::int64_t due_at(std::size_t index) const { return phase_.start_ns + (*plan_.due_ns)[index]; }
  void grow(wire::SlotId slots);
  void keep_spare_connections();
  void read_ahead(wire::SlotId slot);
  void cancel_too_long();
  void note_broken(const Slot& slot, std::size_t server);
  void note_refusals(const measure::RequestRecord& record);
  void take_ended();
  void release(wire::SlotId slot);
  void turn();
  bool is_behind() const;
  void on_probe();
  void cancel_overdue(std::int64_t now_ns);
  void stop_due(std::int64_t now_ns);
  void stop_one(wire::SlotId slot);
  bool read_one();
  void keep_answer(measure::RequestRecord& record);
  void count(const measure::RequestRecord& record);
  void interrupt();
  void check_should_stop();
  void note_unsent();
  Result<Phase> conclude(std::int64_t cpu_before_ns, const wire::Transport::Counters& before);
  Status arm_probe();

  std::size_t server_of(wire::SlotId slot) const { return slot % options_.endpoints.size(); }
  int slots_of_one_server() const;
  bool is_interrupted() const {
    return options_.stopped != nullptr && options_.stopped->load(std::memory_order_relaxed);
  }

  Options options_;
  RecordReader reader_;
  system::Descriptor epoll_;
  std::unique_ptr<EpollTimer> probe_;
  std::unique_ptr<EpollTimer> due_;
  std::unique_ptr<wire::Transport> transport_;

  // State of the running phase.
  SendPlan plan_;
  std::size_t next_ = 0;  // index of the next request
  std::uint64_t first_id_ = 0;
  std::size_t active_ = 0;            // slots with a request in flight
  std::vector<int> broken_in_a_row_;  // per server
  RefusalWatch refusals_;
  std::int64_t next_probe_ns_ = 0;
  std::int64_t next_overdue_check_ns_ = 0;
  Phase phase_;
  std::deque<measure::RequestRecord> records_;
  std::vector<const measure::RequestRecord*> newly_finished_;  // since the last should_stop
  bool should_stop_ = false;
  std::vector<Slot> slots_;
  // Per server: slots without a request. The one used last is at the end; those with closed
  // connections are at the front.
  std::vector<std::deque<wire::SlotId>> free_;
  std::size_t turn_of_server_ = 0;
  std::vector<wire::SlotId> ended_;
  std::deque<wire::SlotId> bulky_;      // slots whose exchanges hold many bytes
  std::vector<wire::SlotId> too_long_;  // slots whose answers exceed a limit
  struct Sent {
    std::int64_t stop_ns;
    wire::SlotId slot;
    std::size_t request;
  };
  std::deque<Sent> stop_queue_;    // sorted by stop_ns
  std::deque<Finished> finished_;  // ended, not parsed yet
  std::size_t finished_bytes_ = 0;
  std::vector<std::unique_ptr<wire::Exchange>> spare_;
};

}  // namespace orch::load
