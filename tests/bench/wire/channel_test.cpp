// What one connection does end to end is in transport_test.cpp.
#include "bench/wire/channel.hpp"

#include "bench/wire/endpoint.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace orch::wire {
namespace socket_test {

// A port of 127.0.0.1 that accepts connections while the socket lives.
class Listening {
 public:
  Listening() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(fd_.get(), 8), 0);
    EXPECT_EQ(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }
  void close() { fd_ = system::Descriptor(); }

 private:
  system::Descriptor fd_;
  int port_ = 0;
};

int try_port(int port) {
  const auto endpoints =
      addresses_of({.host = "127.0.0.1", .port = static_cast<std::uint16_t>(port)});
  return endpoints && !endpoints->empty() ? try_connect(endpoints->front(), 10'000) : -1;
}

TEST(Socket, AConnectionIsAcceptedOrItsErrorIsKnown) {
  Listening server;
  EXPECT_EQ(try_port(server.port()), 0);
  server.close();
  EXPECT_EQ(try_port(server.port()), ECONNREFUSED);
}

}  // namespace socket_test
}  // namespace orch::wire
