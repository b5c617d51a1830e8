// Sends requests and stamps their responses: the interface between the load loop and HTTP/1.1 or
// gRPC.
#pragma once

#include "bench/wire/endpoint.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch::wire {

class Exchange;

// A slot has at most one request in flight.
using SlotId = std::uint32_t;

class Transport {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The exchange of SLOT ended, complete or broken; its fields are final. May be called from
    // start(): record it and return; do not start the next request here.
    virtual void on_end(SlotId slot) = 0;
    // The exchange of SLOT is still in progress, but has received many bytes of events, which the
    // listener may take now or later.
    virtual void on_many(SlotId slot) = 0;
  };

  struct Counters {
    std::int64_t reads = 0;  // reads that returned bytes
    std::int64_t connections_opened = 0;
    std::int64_t resent = 0;       // requests that were sent a second time
    std::int64_t out_of_step = 0;  // connections abandoned after bytes that belong to no answer
  };

  virtual ~Transport() = default;

  // Prepares for SLOTS concurrent requests and opens the connections, so that no handshake falls in
  // a timed window. Fails if a connection cannot be opened, or takes TIMEOUT_MS longer than the
  // ones before it.
  virtual Status open(SlotId slots, int timeout_ms) = 0;
  // Prepares for SLOTS requests and begins opening the missing connections. Does not block; start()
  // reopens those that fail.
  virtual void grow(SlotId slots) = 0;
  // Stamps EXCHANGE.sent_ns, sends REQUEST, and fills EXCHANGE until on_end. Both must live until
  // then. Reopens a dead connection first. Failures end the exchange as broken. A request is resent
  // once, over a new connection and with the first stamp, if the server is unlikely to have
  // processed it: the server closed a reused connection before the first byte of the answer
  // (HTTP/1.1: and soon after the send), or reported that it refused the request unread.
  virtual void start(SlotId slot, std::string_view request, Exchange& exchange) = 0;
  // Whether a request in SLOT would be sent immediately. If its connection is closed, begins to
  // open it. SLOT must have no request in flight.
  virtual bool warm(SlotId slot) = 0;
  // epoll reported EVENTS for the descriptor registered under TAG.
  virtual void ready(std::uint32_t tag, std::uint32_t events) = 0;
  // Ends the exchange of SLOT as broken, for REASON; later bytes for it are discarded.
  virtual void cancel(SlotId slot, std::string reason) = 0;
  // Ends the exchange of SLOT as it is; closing the connection or stream notifies the server.
  virtual void stop(SlotId slot) = 0;

  virtual Counters counters() const = 0;
};

// How requests are transported.
struct WireFormat {
  // The path of a gRPC call, "/package.Service/Method", whose request is one message; "" for
  // HTTP/1.1, where a request is head and body.
  std::string grpc_method = {};
  // An answer is a stream of events, over HTTP/1.1 if its status is 200; false: one body or
  // message.
  bool events = true;
};

struct TransportOptions {
  int epoll_fd = -1;  // borrowed; descriptors are registered under the number of their connection
  std::vector<Endpoint> endpoints;  // at least one; slot i uses endpoint i modulo their number
  WireFormat format = {};
  Access access = {};  // HTTP/1.1: request texts include their authorization
  // gRPC: a connection uses 20 KB here, and more at the server, so slots of a server beyond the
  // first OWN_CONNECTIONS share connections.
  SlotId own_connections = 2048;
  SlotId slots_per_shared_connection = 4;
};

// Chooses HTTP/1.1 or gRPC; callers only see the interface. LISTENER is borrowed.
std::unique_ptr<Transport> make_transport(TransportOptions options, Transport::Listener& listener);

}  // namespace orch::wire
