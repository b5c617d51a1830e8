// HTTP/1.1 over keep-alive connections, one per slot, non-blocking under the load loop's epoll.
#pragma once

#include <memory>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "wire/exchange.hpp"
#include "wire/http_parser.hpp"
#include "wire/tls.hpp"
#include "wire/transport.hpp"

namespace orch::wire {

class HttpTransport final : public Transport {
 public:
  struct Options {
    int epoll_fd = -1;  // borrowed; descriptors are registered there under their slot's number
    std::vector<Endpoint>
        endpoints;  // at least one; slot I belongs to endpoint I modulo their number
    bool events =
        true;  // a 200 answer is a stream of server-sent events; false: its body is one event
    Access access = {};
  };

  // LISTENER is borrowed.
  HttpTransport(Options options, Listener& listener);
  ~HttpTransport() override;

  Status open(SlotId slots, int timeout_ms) override;
  void grow(SlotId slots) override;
  void start(SlotId slot, std::string_view request, Exchange& exchange) override;
  bool warm(SlotId slot) override;
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
  // Whether a server closes after each answer.
  struct Habit {
    int closed_at_once =
        0;  // requests in a row that found their connection closed right after its first answer
    unsigned answers = 0;  // since it is known to
  };

  void make_room(SlotId slots);
  const Endpoint& endpoint_of(const Wire& wire) const;
  Habit& habit_of(const Wire& wire);
  bool connect(Wire& wire);  // false: refused at once, its channel says why
  void watch(Wire& wire, Watch how);
  void go_on_connecting(Wire& wire);
  void connected(Wire& wire);
  void write(Wire& wire);
  void read(Wire& wire);
  void take(Wire& wire, std::string_view bytes, std::int64_t now_ns);
  void check_quiet(Wire& wire);
  std::string doubt(const Wire& wire) const;
  void end(Wire& wire);
  void fail(Wire& wire, std::string reason);
  // fail(), because there is no server at the other end any more; unless the request may go once
  // more.
  void lose(Wire& wire, std::string reason);
  void fail_to_connect(Wire& wire);
  void send_again(Wire& wire);

  Options options_;
  Listener& listener_;
  std::unique_ptr<TlsContext> tls_;  // where an endpoint asks for it
  Counters counters_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<char> buffer_;
  std::vector<Habit> habits_;  // of each server
};

}  // namespace orch::wire
