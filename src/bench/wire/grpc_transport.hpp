// gRPC over HTTP/2, non-blocking under the load loop's epoll. One stream per request; one
// connection per slot, or per several slots if there are thousands. A request is one message; each
// response message is one event.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/grpc_session.hpp"
#include "bench/wire/tls.hpp"
#include "bench/wire/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch::wire {

class GrpcTransport final : public Transport, private GrpcSession::Listener {
 public:
  // LISTENER is borrowed.
  GrpcTransport(TransportOptions options, Transport::Listener& listener);
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
  bool connect(Connection& connection);
  Status settle(Connection& connection, std::int64_t deadline_ns);
  void continue_connecting(Connection& connection);
  void opened(Connection& connection);
  void send_waiting(Connection& connection);
  void read(Connection& connection);
  bool receive(Connection& connection);
  void retire(Connection& connection);
  void lose(Connection& connection, const std::string& reason);
  void reset_to_unsent(SlotId slot);
  void drop(SlotId slot);
  void finish(SlotId slot);

  TransportOptions options_;
  Transport::Listener& listener_;
  std::unique_ptr<TlsContext> tls_;  // null if no endpoint requires TLS
  Counters counters_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Call> calls_;  // one per slot
  std::vector<char> buffer_;
};

}  // namespace orch::wire
