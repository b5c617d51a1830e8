// Sends stop requests to the servers on its own thread and connections, so that the timed loop
// never waits.
#pragma once

#include "bench/protocol/protocol.hpp"
#include "bench/wire/endpoint.hpp"
#include "os/system/files.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orch::load {

class StopRequests {
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
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  // Queues a stop request for the request ID of server SERVER. Returns at once.
  void ask(std::size_t server, std::uint64_t id);
  // Waits until all stop requests are answered or have failed.
  Outcome end();

 private:
  class Sender;

  void run();
  bool take_asked();
  void wake() const;

  system::Descriptor epoll_, wake_;

  std::mutex mutex_;  // guards the next two
  std::vector<std::pair<std::size_t, std::uint64_t>> asked_;
  bool ending_ = false;

  std::unique_ptr<Sender> sender_;  // used by the thread while it runs
  std::int64_t cpu_ns_ = 0;         // set when the thread ends
  std::thread thread_;              // last: it uses the members above
};

}  // namespace orch::load
