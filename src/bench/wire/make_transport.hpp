// Chooses the transport: HTTP/1.1 or gRPC. Callers know only the interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/wire/access.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/transport.hpp"

namespace orch::wire {

struct TransportOptions {
  int epoll_fd = -1;                // borrowed
  std::vector<Endpoint> endpoints;  // at least one; slot i uses endpoint i modulo their number
  std::string grpc_method = {};     // "" for HTTP/1.1
  bool events = true;  // HTTP/1.1: a 200 response is an event stream; false: its body is one event
  Access access = {};  // HTTP/1.1: the texts of requests include their authorization
};

// LISTENER is borrowed.
std::unique_ptr<Transport> make_transport(TransportOptions options, Transport::Listener& listener);

}  // namespace orch::wire
