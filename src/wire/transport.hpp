// How requests travel: the seam between the load loop and a wire. One implementation per wire
// (HTTP/1.1, gRPC), each with its own connections. It moves bytes and stamps them; it does not know
// what they mean or when requests are due.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace orch::wire {

class Exchange;

// One request can be under way per slot.
using SlotId = std::uint32_t;

class Transport {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The exchange of SLOT ended, well or broken; its fields are final. May be called from inside
    // start(): note it and return, never start the next request from here.
    virtual void on_end(SlotId slot) = 0;
    // Many bytes of events wait in the exchange of SLOT, which goes on; they may be taken now or
    // later.
    virtual void on_many(SlotId slot) = 0;
  };

  struct Counters {
    std::int64_t reads = 0;  // that returned bytes
    std::int64_t connections_opened = 0;
    std::int64_t resent = 0;  // requests that went a second time
    std::int64_t out_of_step =
        0;  // connections given up because bytes came on them that no request had asked for
  };

  virtual ~Transport() = default;

  // Makes room for SLOTS requests at a time and opens the connections, so that no handshake falls
  // into a timed window. Fails when a connection cannot be opened, or takes TIMEOUT_MS longer than
  // those before it.
  virtual Status open(SlotId slots, int timeout_ms) = 0;
  // Makes room for SLOTS requests and begins to open the connections that are missing. Does not
  // block: what fails is tried again by start().
  virtual void grow(SlotId slots) = 0;
  // Sends REQUEST, stamps EXCHANGE.sent_ns just before, and fills EXCHANGE until on_end. Both must
  // live until then. A dead connection is opened again first. Never fails itself: failures end the
  // exchange as broken. A request is sent once more, over a fresh connection and with the first
  // stamp, where the server cannot have taken it: it ended a connection that had carried another
  // exchange before a byte of the answer came, or said that it refused the request unread.
  virtual void start(SlotId slot, std::string_view request, Exchange& exchange) = 0;
  // Whether a request in SLOT would leave at once. If its connection is closed, begins to open it.
  // Only without a request under way there.
  virtual bool warm(SlotId slot) = 0;
  // epoll reported EVENTS for the descriptor that was registered under TAG.
  virtual void ready(std::uint32_t tag, std::uint32_t events) = 0;
  // Ends the exchange of SLOT as broken, for REASON; what still comes for it is thrown away.
  virtual void cancel(SlotId slot, std::string reason) = 0;
  // Ends the exchange of SLOT as it is, and lets the server know by closing the connection or
  // stream.
  virtual void stop(SlotId slot) = 0;

  virtual Counters counters() const = 0;
};

}  // namespace orch::wire
