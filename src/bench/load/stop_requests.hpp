// Sends stop requests to the servers on its own thread and connections, so that the timed loop
// never waits.
#pragma once

#include "bench/load/response_reader.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/transport.hpp"
#include "os/system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orch::load {

class StopRequests final : private wire::Transport::Listener {
 public:
  struct Options {
    const protocol::Protocol* protocol = nullptr;  // borrowed; has a stopper
    std::vector<wire::Endpoint> endpoints;
    wire::Access access = {};
    std::int64_t timeout_ns = 5'000'000'000;  // per stop request, and for the wait in end()
  };
  struct Outcome {
    std::int64_t asked = 0;
    std::int64_t failed = 0;  // refused or unanswered
    std::string first_failure;
    std::int64_t cpu_ns = 0;  // CPU time of the thread
  };

  explicit StopRequests(Options options);
  ~StopRequests() override;
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Queues a stop request for the request ID of server SERVER. Returns at once.
  void ask(std::size_t server, std::uint64_t id);
  // Waits until all stop requests are answered or have failed.
  Outcome end();

 private:
  struct Slot {
    wire::Exchange exchange;
    std::string request;  // "": no request in flight
  };

  void on_end(wire::SlotId slot) override { ended_.push_back(slot); }
  void on_many(wire::SlotId) override {}  // cancel_too_long() checks
  void run();
  bool take_asked();
  void send_waiting();
  void cancel_overdue();
  void cancel_too_long();
  void take_ended();
  void note_failure(std::string why, std::int64_t count = 1);
  void wake() const;

  Options options_;
  system::Descriptor epoll_, wake_;
  std::unique_ptr<wire::Transport> transport_;
  RecordReader reader_;

  std::mutex mutex_;  // guards the next two
  std::vector<std::pair<std::size_t, std::uint64_t>> asked_;
  bool ending_ = false;

  // Owned by the thread.
  std::vector<std::deque<std::uint64_t>> waiting_;  // per server: ids without a free connection
  std::vector<std::vector<wire::SlotId>> free_;     // per server
  std::deque<Slot> slots_;
  std::vector<wire::SlotId> ended_;
  std::size_t active_ = 0;
  std::int64_t give_up_ns_ = 0;  // 0: end() has not been called
  Outcome outcome_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace orch::load
