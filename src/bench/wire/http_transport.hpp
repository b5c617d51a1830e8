// HTTP/1.1 over keep-alive connections, one per slot, non-blocking under the load loop's epoll.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/http_parser.hpp"
#include "bench/wire/tls.hpp"
#include "bench/wire/transport.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch::wire {

class HttpTransport final : public Transport {
 public:
  // LISTENER is borrowed.
  HttpTransport(TransportOptions options, Listener& listener);
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
  // Whether a server closes its connection after each answer.
  struct Closing {
    int closed_at_once =
        0;  // consecutive requests whose connection was closed after its first answer
    unsigned answers = 0;  // since the server was found to close
  };

  void make_room(SlotId slots);
  bool connect(Wire& wire);  // false: failed immediately; its channel says why
  void continue_connecting(Wire& wire);
  void connected(Wire& wire);
  void write(Wire& wire);
  void read(Wire& wire);
  void take(Wire& wire, std::string_view bytes, std::int64_t now_ns);
  void check_quiet(Wire& wire);
  std::string doubt(const Wire& wire) const;
  void end(Wire& wire);
  void fail(Wire& wire, std::string reason);
  // The server closed or reset the connection: resends the request if allowed, otherwise fails it.
  void lose(Wire& wire, std::string reason);
  void fail_to_connect(Wire& wire);
  void resend(Wire& wire);

  TransportOptions options_;
  Listener& listener_;
  std::unique_ptr<TlsContext> tls_;  // null if no endpoint requires TLS
  Counters counters_;
  std::vector<Closing> closings_;  // one per server
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<char> buffer_;
};

}  // namespace orch::wire
