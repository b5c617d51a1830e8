// The timed loop: one thread, one epoll, N slots, each sending its next request as soon as its last answer ended. It
// stamps and keeps; what the bytes mean is read between batches of events, when nothing waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "wire/exchange.hpp"
#include "load/protocol.hpp"
#include "wire/transport.hpp"
#include "measure/metrics.hpp"
#include "measure/request_record.hpp"
#include "system/files.hpp"

namespace orch::load {

// A request made ahead of the loop, and what is known of it.
struct PreparedRequest {
  std::string bytes;
  std::optional<std::int64_t> isl;
};

class LoadLoop final : private wire::Transport::Listener {
 public:
  struct Options {
    const Protocol* protocol = nullptr;          // borrowed
    const std::atomic<bool>* stopped = nullptr;  // borrowed; once true, run() ends as interrupted
    std::vector<wire::Endpoint> endpoints;  // the servers; slot I belongs to server I modulo their number
    wire::SlotId concurrency = 1;
    bool stream = true;
    std::int64_t osl = 1;
    bool forced_osl = true;
    std::int64_t tokens_per_event = 1;
    std::int64_t timeout_ns = 0;  // of one request, from its send
  };

  // One phase, with times of the monotonic clock as they are.
  struct Phase {
    std::vector<measure::RequestRecord> records;  // in the order of sending; those that were never sent are missing
    measure::ClientHealth client;
    std::int64_t start_ns = 0;
    std::string gave_up;  // why requests were left unsent; empty when all were sent
  };

  explicit LoadLoop(Options options);
  ~LoadLoop() override;

  // Opens the connections. Fails when the server cannot be reached.
  Status open();
  // Sends REQUESTS in order and returns when every one that was sent has ended. Failed requests are records; the loop gives
  // up sending when more exchanges with one server broke in a row than it has slots to explain it. Fails only when it was interrupted
  // or the operating system refuses a timer.
  Result<Phase> run(std::span<const PreparedRequest> requests);

 private:
  struct Slot;
  struct Finished;

  void on_end(wire::SlotId slot) override;
  std::size_t server_of(wire::SlotId slot) const { return slot % options_.endpoints.size(); }
  int slots_of_one_server() const;
  void start_next(wire::SlotId slot, std::int64_t due_ns);
  void take_ended();
  void turn();
  void on_probe();
  void end_overdue(std::int64_t now_ns);
  void read_one();
  measure::RequestRecord read(const Finished& finished) const;
  void read_events(const wire::Exchange& exchange, measure::RequestRecord& record) const;
  bool broken_off() const { return options_.stopped != nullptr && options_.stopped->load(std::memory_order_relaxed); }
  Status start_probe();

  Options options_;
  system::Descriptor epoll_;
  system::Descriptor probe_;
  std::unique_ptr<wire::Transport> transport_;

  // Of the phase that runs.
  std::span<const PreparedRequest> requests_;
  std::size_t next_ = 0;    // the next request to send
  std::size_t active_ = 0;  // slots with a request under way
  std::vector<int> broken_in_a_row_;  // of each server
  std::int64_t next_probe_ns_ = 0;
  std::int64_t next_overdue_check_ns_ = 0;
  Phase phase_;
  std::vector<Slot> slots_;
  std::vector<wire::SlotId> ended_;
  std::deque<Finished> finished_;  // ended, not read yet
  std::size_t finished_bytes_ = 0;
  std::vector<std::unique_ptr<wire::Exchange>> spare_;
};

}  // namespace orch::load
