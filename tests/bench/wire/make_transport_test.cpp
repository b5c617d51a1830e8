#include "bench/wire/grpc_transport.hpp"
#include "bench/wire/http_transport.hpp"
#include "bench/wire/transport.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace make_transport_test {

struct Ignore final : Transport::Listener {
  void on_end(SlotId) override {}
  void on_many(SlotId) override {}
};

TEST(MakeTransport, ChoosesGrpcForAMethodAndHttpOtherwise) {
  Ignore listener;
  const std::vector<Endpoint> endpoints = {*resolve(*parse_url("http://127.0.0.1:9"))};
  const auto http = make_transport({.epoll_fd = -1, .endpoints = endpoints}, listener);
  EXPECT_NE(dynamic_cast<HttpTransport*>(http.get()), nullptr);
  const auto grpc = make_transport(
      {.epoll_fd = -1, .endpoints = endpoints, .format = {.grpc_method = "/inference/ModelInfer"}},
      listener);
  EXPECT_NE(dynamic_cast<GrpcTransport*>(grpc.get()), nullptr);
}

}  // namespace make_transport_test
}  // namespace orch::wire
