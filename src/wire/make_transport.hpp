// Which wire a request travels by. Those who send requests know transports only by their interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wire/access.hpp"
#include "wire/endpoint.hpp"
#include "wire/transport.hpp"

namespace orch::wire {

struct TransportOptions {
  int epoll_fd = -1;  // borrowed
  std::vector<Endpoint>
      endpoints;                 // at least one; slot I belongs to endpoint I modulo their number
  std::string grpc_method = {};  // "" for HTTP/1.1
  bool events = true;  // over HTTP/1.1: a 200 answer is a stream of server-sent events; false: its
                       // body is one event
  Access access = {};  // over HTTP/1.1 requests carry their authorization themselves
};

// LISTENER is borrowed.
std::unique_ptr<Transport> make_transport(TransportOptions options, Transport::Listener& listener);

}  // namespace orch::wire
