#include "bench/wire/transport.hpp"

#include "bench/wire/grpc_transport.hpp"
#include "bench/wire/http_transport.hpp"

namespace orch::wire {

std::unique_ptr<Transport> make_transport(TransportOptions options, Transport::Listener& listener) {
  if (options.grpc_method.empty())
    return std::make_unique<HttpTransport>(
        HttpTransport::Options{.epoll_fd = options.epoll_fd,
                               .endpoints = std::move(options.endpoints),
                               .events = options.events,
                               .access = std::move(options.access)},
        listener);
  return std::make_unique<GrpcTransport>(
      GrpcTransport::Options{.epoll_fd = options.epoll_fd,
                             .endpoints = std::move(options.endpoints),
                             .method = std::move(options.grpc_method),
                             .access = std::move(options.access)},
      listener);
}

}  // namespace orch::wire
