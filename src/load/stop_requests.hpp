// Asks servers to end requests before their time, by a request for each, on a thread and
// connections of its own: the timed loop names a request and goes on. It does not know what becomes
// of what it asked to end.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "protocol/protocol.hpp"
#include "load/response_reader.hpp"
#include "system/files.hpp"
#include "wire/access.hpp"
#include "wire/transport.hpp"

namespace orch::load {

class StopRequests final : private wire::Transport::Listener {
 public:
  struct Options {
    const protocol::Protocol* protocol = nullptr;  // borrowed; has a stopper
    std::vector<wire::Endpoint> endpoints;
    wire::Access access = {};
    std::int64_t timeout_ns = 5'000'000'000;  // of one of them, and of the wait at the end
  };
  struct Outcome {
    std::int64_t asked = 0;
    std::int64_t failed = 0;  // refused, or without an answer
    std::string first_failure;
    std::int64_t cpu_ns = 0;  // of the thread
  };

  explicit StopRequests(Options options);
  ~StopRequests() override;
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Has server SERVER asked to end the request ID. Returns at once.
  void ask(std::size_t server, std::uint64_t id);
  // Returns when all that was asked for was answered, or will not be.
  Outcome end();

 private:
  struct Slot {
    wire::Exchange exchange;
    std::string request;  // "": nothing is under way
  };

  void on_end(wire::SlotId slot) override { ended_.push_back(slot); }
  void on_many(wire::SlotId) override {}  // end_too_long() sees it
  void run();
  bool take_asked();
  void send_waiting();
  void end_overdue();
  void end_too_long();
  void take_ended();
  void note_failure(std::string why, std::int64_t count = 1);
  void wake() const;

  Options options_;
  system::Descriptor epoll_, wake_;
  std::unique_ptr<wire::Transport> transport_;
  RecordReader reader_;

  std::mutex mutex_;  // of the next two
  std::vector<std::pair<std::size_t, std::uint64_t>> asked_;
  bool ending_ = false;

  // Of the thread.
  std::vector<std::deque<std::uint64_t>>
      waiting_;                                  // of each server: what has found no connection yet
  std::vector<std::vector<wire::SlotId>> free_;  // of each server
  std::deque<Slot> slots_;
  std::vector<wire::SlotId> ended_;
  std::size_t active_ = 0;
  std::int64_t give_up_ns_ = 0;  // 0: it is not being ended
  Outcome outcome_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace orch::load
