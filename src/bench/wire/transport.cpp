#include "bench/wire/transport.hpp"

#include "bench/wire/grpc_transport.hpp"
#include "bench/wire/http_transport.hpp"

namespace orch::wire {

std::unique_ptr<Transport> make_transport(TransportOptions options, Transport::Listener& listener) {
  if (options.format.grpc_method.empty())
    return std::make_unique<HttpTransport>(std::move(options), listener);
  return std::make_unique<GrpcTransport>(std::move(options), listener);
}

}  // namespace orch::wire
