// HTTP/1.1 over keep-alive connections, one per slot, non-blocking under the load loop's epoll.
#pragma once

#include <memory>
#include <vector>

#include "wire/endpoint.hpp"
#include "wire/exchange.hpp"
#include "wire/http_parser.hpp"
#include "wire/transport.hpp"
#include "system/files.hpp"

namespace orch::wire {

class HttpTransport final : public Transport {
 public:
  struct Options {
    int epoll_fd = -1;   // borrowed; descriptors are registered there under their slot's number
    std::vector<Endpoint> endpoints;  // at least one; slot I belongs to endpoint I modulo their number
    bool events = true;  // a 200 answer is a stream of server-sent events; false: its body is one event
  };

  // LISTENER is borrowed.
  HttpTransport(Options options, Listener& listener);
  ~HttpTransport() override;

  Status open(SlotId slots, int timeout_ms) override;
  void grow(SlotId slots) override;
  void start(SlotId slot, std::string_view request, Exchange& exchange) override;
  void ready(std::uint32_t tag, std::uint32_t events) override;
  void cancel(SlotId slot, std::string reason) override;
  void stop(SlotId slot) override;
  Counters counters() const override { return counters_; }

 private:
  struct Wire;
  struct Watch {
    bool added = false;  // the descriptor is new to epoll
    bool for_writing = false;
  };

  void make_room(SlotId slots);
  const Endpoint& endpoint_of(const Wire& wire) const;
  bool connect(Wire& wire);  // false: refused at once, errno says why
  bool watch(Wire& wire, Watch how);
  void connected(Wire& wire);
  void write(Wire& wire);
  void read(Wire& wire);
  void end(Wire& wire);
  void fail(Wire& wire, std::string reason);
  // fail(), because there is no server at the other end any more.
  void lose(Wire& wire, std::string reason);

  Options options_;
  Listener& listener_;
  Counters counters_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<char> buffer_;
};

}  // namespace orch::wire
