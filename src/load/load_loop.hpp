// The timed loop: one thread, one epoll, slots that each carry one request at a time. It sends what
// is due and stamps what comes; what the bytes mean is read between batches of events, when nothing
// waits. It knows neither prompts nor metrics.
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

#include "base/result.hpp"
#include "protocol/protocol.hpp"
#include "load/epoll_timer.hpp"
#include "load/response_reader.hpp"
#include "load/phase_progress.hpp"
#include "measure/metrics.hpp"
#include "measure/request_record.hpp"
#include "system/files.hpp"
#include "wire/access.hpp"
#include "wire/exchange.hpp"
#include "wire/transport.hpp"

namespace orch::load {

// A request made ahead of the loop, and what is known of it.
struct PreparedRequest {
  std::string bytes;
  std::optional<std::int64_t> isl;  // of all its prompts together
  std::int64_t osl = 1;             // asked for, of all its answers together
  std::size_t id_at = 0;            // where its id goes, if it is to be stopped by that
};

// What one phase sends, and when.
struct Sending {
  std::span<const PreparedRequest>
      requests;  // in this order; from the front again when more are to be sent
  std::int64_t concurrency =
      1;  // requests under way at a time; with due times the most, 0: no limit
  std::optional<std::span<const std::int64_t>> due_ns =
      {};  // when each is due, from the start of the phase; empty: when a slot is free
  std::size_t most = 0;          // requests to send, at most
  std::int64_t duration_ns = 0;  // nothing is sent after that; 0: no such end
  // Asked now and then with the records that were finished since it was last asked; true: nothing
  // more is sent. Must return at once.
  std::function<bool(std::span<const measure::RequestRecord* const>)> enough = {};
  Tally* tally = nullptr;  // borrowed; where it says how far it is
};

class LoadLoop final : private wire::Transport::Listener {
 public:
  using AskToStop = std::function<void(std::size_t server, std::uint64_t id)>;

  struct Options {
    RecordReader::Options reading;
    const std::atomic<bool>* stopped = nullptr;  // borrowed; once true, run() ends with what it has
    std::vector<wire::Endpoint>
        endpoints;  // the servers; slot I belongs to server I modulo their number
    wire::Access access = {};
    int connect_timeout_ms = wire::k_connect_timeout_ms;
    std::int64_t timeout_ns = 0;  // of one request, from its send
    std::int64_t stop_after_ns =
        0;  // a request is ended by us after that, to the millisecond; 0: never
    // How, where not by closing its stream: has the server asked to end the request ID, and must
    // return at once. Each request gets an id then, which none had before.
    AskToStop ask_to_stop = {};
  };

  // One phase, with times of the monotonic clock as they are.
  struct Phase {
    std::vector<measure::RequestRecord>
        records;  // in the order of sending; those that were never sent are missing
    measure::ClientHealth client;
    std::int64_t start_ns = 0;
    std::int64_t wall_ns = 0;  // until the last answer was read
    std::string gave_up;  // why requests were left unsent; empty when all that were due were sent
    bool interrupted = false;  // `stopped` was set: nothing more was sent, and requests under way
                               // were cut off. They have no record
    std::vector<std::int64_t> cut_off_due_ns;  // of each of these, from the start of the phase
    std::vector<std::int64_t>
        unsent_due_ns;  // likewise, of requests that were due by a schedule and never sent; the
                        // first of them, k_most_unsent at most
    std::size_t unsent = 0;  // all of them
  };

  static constexpr std::size_t k_most_unsent = 100'000;

  explicit LoadLoop(Options options);
  ~LoadLoop() override;

  // Opens connections for SLOTS requests at a time. Fails when the server cannot be reached.
  Status open(wire::SlotId slots);
  // Sends and returns when every request that was sent has ended. Failed requests are records; the
  // loop gives up sending when more exchanges with one server broke in a row than it has slots to
  // explain it. Fails only when the operating system refuses a timer.
  Result<Phase> run(const Sending& sending);

 private:
  struct Slot;
  struct Finished;

  void on_end(wire::SlotId slot) override;
  void on_many(wire::SlotId slot) override;
  void hear_idle();
  void begin(const Sending& sending);
  void send_due();
  void start_next(wire::SlotId slot, std::int64_t due_ns);
  std::string_view bytes_to_send(Slot& slot) const;
  bool may_send() const;
  std::optional<wire::SlotId> free_slot();
  std::int64_t due_at(std::size_t index) const {
    return phase_.start_ns + (*sending_.due_ns)[index];
  }
  void grow(wire::SlotId slots);
  void keep_spare_connections();
  void read_ahead(wire::SlotId slot);
  void end_too_long();
  void note_broken(const Slot& slot, std::size_t server);
  void take_ended();
  void release(wire::SlotId slot);
  void turn();
  bool behind() const;
  void on_probe();
  void end_overdue(std::int64_t now_ns);
  void stop_early(std::int64_t now_ns);
  void stop_one(wire::SlotId slot);
  bool read_one();
  void interrupt();
  void ask_whether_enough();
  void note_unsent();
  Result<Phase> conclude(std::int64_t cpu_before_ns, const wire::Transport::Counters& before);
  Status arm_probe();

  std::size_t server_of(wire::SlotId slot) const { return slot % options_.endpoints.size(); }
  int slots_of_one_server() const;
  bool broken_off() const {
    return options_.stopped != nullptr && options_.stopped->load(std::memory_order_relaxed);
  }

  Options options_;
  RecordReader reader_;
  system::Descriptor epoll_;
  std::unique_ptr<EpollTimer> probe_;
  std::unique_ptr<EpollTimer> due_;
  std::unique_ptr<wire::Transport> transport_;

  // Of the phase that runs.
  Sending sending_;
  std::size_t next_ = 0;  // the next request to send
  std::uint64_t first_id_ = 0;
  std::size_t active_ = 0;            // slots with a request under way
  std::vector<int> broken_in_a_row_;  // of each server
  std::int64_t next_probe_ns_ = 0;
  std::int64_t next_overdue_check_ns_ = 0;
  Phase phase_;
  std::deque<measure::RequestRecord> records_;
  std::vector<const measure::RequestRecord*> news_;  // finished since `enough` was asked
  bool had_enough_ = false;
  std::vector<Slot> slots_;
  // Of each server: slots without a request. At the end the one used last, at the front those whose
  // connections were found closed.
  std::vector<std::deque<wire::SlotId>> free_;
  std::size_t turn_of_server_ = 0;
  std::vector<wire::SlotId> ended_;
  std::deque<wire::SlotId> many_;       // slots whose exchanges hold many bytes
  std::vector<wire::SlotId> too_long_;  // of whose answers no more is read
  struct Sent {
    std::int64_t stop_ns;
    wire::SlotId slot;
    std::size_t request;
  };
  std::deque<Sent> to_stop_;       // by their times
  std::deque<Finished> finished_;  // ended, not read yet
  std::size_t finished_bytes_ = 0;
  std::vector<std::unique_ptr<wire::Exchange>> spare_;
};

}  // namespace orch::load
