// gRPC over HTTP/2, non-blocking under the load loop's epoll: one stream per request, a connection
// for each slot, where there are thousands of slots one for several. A request is one message; each
// message of the answer is one event.
#pragma once

#include <memory>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "wire/exchange.hpp"
#include "wire/grpc_session.hpp"
#include "wire/tls.hpp"
#include "wire/transport.hpp"

namespace orch::wire {

class GrpcTransport final : public Transport, private GrpcSession::Listener {
 public:
  struct Options {
    int epoll_fd =
        -1;  // borrowed; descriptors are registered there under their connection's number
    std::vector<Endpoint>
        endpoints;       // at least one; slot I belongs to endpoint I modulo their number
    std::string method;  // "/package.Service/Method"
    Access access = {};
    // A connection takes 20 KB here, and more at the server: each server's slots beyond the first
    // OWN_CONNECTIONS share some.
    SlotId own_connections = 2048;
    SlotId slots_per_shared_connection = 4;
  };

  // LISTENER is borrowed.
  GrpcTransport(Options options, Transport::Listener& listener);
  ~GrpcTransport() override;

  Status open(SlotId slots, int timeout_ms) override;
  void grow(SlotId slots) override;
  void start(SlotId slot, std::string_view request, Exchange& exchange) override;
  bool warm(SlotId slot) override;
  void ready(std::uint32_t tag, std::uint32_t events) override;
  void cancel(SlotId slot, std::string reason) override;
  void stop(SlotId slot) override;
  Counters counters() const override { return counters_; }

 private:
  struct Connection;
  struct Call;

  void on_call_end(SlotId slot, bool refused) override;
  void make_room(SlotId slots);
  std::size_t connection_of(SlotId slot) const;
  const Endpoint& endpoint_of(const Connection& connection) const;
  bool connect(Connection& connection);
  Status settle(Connection& connection, std::int64_t deadline_ns);
  void watch(Connection& connection, bool added);
  void go_on_connecting(Connection& connection);
  void opened(Connection& connection);
  void send_waiting(Connection& connection);
  void flush(Connection& connection);
  void read(Connection& connection);
  bool receive(Connection& connection);
  void retire(Connection& connection);
  void lose(Connection& connection, const std::string& reason);
  void make_ready_again(SlotId slot);
  void drop(SlotId slot);
  void finish(SlotId slot);

  Options options_;
  Transport::Listener& listener_;
  std::unique_ptr<TlsContext> tls_;  // where an endpoint asks for it
  Counters counters_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Call> calls_;  // one per slot
  std::vector<char> buffer_;
};

}  // namespace orch::wire
