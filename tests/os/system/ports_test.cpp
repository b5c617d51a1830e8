#include "os/system/ports.hpp"

#include <csignal>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace ports_test {

TEST(Ports, ALeaseIsExclusiveAndEndsWithItsOwner) {
  RealPorts first({31000, 31009}), second({31000, 31009});
  {
    auto a = first.lease(3);
    auto b = second.lease(3);
    ASSERT_TRUE(a && b);
    for (const PortLease& x : *a)
      for (const PortLease& y : *b) EXPECT_NE(x.port(), y.port());
    EXPECT_EQ(first.lease(8).error().kind, ErrorKind::conflict);
  }
  EXPECT_TRUE(first.lease(3));
}

TEST(Ports, OneThatStartsElsewhereLooksThereFirst) {
  RealPorts late({31030, 31034}, 13);
  const auto leases = late.lease(3);
  ASSERT_TRUE(leases) << leases.error().text();
  EXPECT_EQ((*leases)[0].port(), 31033);
  EXPECT_EQ((*leases)[2].port(), 31030);
}

TEST(Ports, APortInUseIsNotLeased) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const int taken = ntohs(address.sin_port);
  EXPECT_EQ(RealPorts({taken, taken}).lease(1).error().kind, ErrorKind::conflict);
}

TEST(Ports, APinnedPortIsTakenOrItsHolderIsNamed) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const int taken = ntohs(address.sin_port);
  const pid_t holder = ::fork();
  if (holder == 0) {
    ::pause();
    ::_exit(0);
  }
  listener = Descriptor();
  RealPorts first, second;
  const auto refused = first.take(taken);
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_TRUE(refused.error().message.starts_with(fmt::format("port {} is in use by ", taken)));
  EXPECT_NE(refused.error().message.find(fmt::format("(pid {})", holder)), std::string::npos)
      << refused.error().message;
  const auto lease = first.take(31020);
  ASSERT_TRUE(lease) << lease.error().text();
  EXPECT_EQ(lease->port(), 31020);
  EXPECT_EQ(second.take(31020).error().message,
            "port 31020 is in use by another run of orchestrate, which has leased it");
}

TEST(Ports, NamedOnesHaveTheirPinnedNumberOrAFreeOne) {
  RealPorts ports({31040, 31042});
  {
    const auto leases = lease_named(ports, {"http", "grpc", "metrics"}, {{"grpc", 31040}});
    ASSERT_TRUE(leases) << leases.error().text();
    EXPECT_EQ((*leases)[0].port(), 31041);
    EXPECT_EQ((*leases)[1].port(), 31040);
    EXPECT_EQ((*leases)[2].port(), 31042);
  }
  const auto other = RealPorts().take(31040);
  ASSERT_TRUE(other);
  const auto refused = lease_named(ports, {"http", "grpc"}, {{"grpc", 31040}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unavailable);
  EXPECT_TRUE(ports.take(31041)) << "none is kept";
}

TEST(Ports, ServersAreReachedAtTheAddressOnWhichTheyListen) {
  EXPECT_EQ(address_to_call("0.0.0.0"), "127.0.0.1");
  EXPECT_EQ(address_to_call("10.1.2.3"), "10.1.2.3");
  EXPECT_FALSE(ipv4_address("localhost"));
  EXPECT_FALSE(ipv4_address("10.1.2"));
  EXPECT_TRUE(ipv4_address("0.0.0.0"));
  EXPECT_EQ(why_no_listening("127.0.0.1"), "");
  EXPECT_EQ(why_no_listening("192.0.2.1"), "this machine has no such address");
}

TEST(Ports, AServersPortIsLeasedAgainByALaterProcessUnlessAnotherHasIt) {
  RealPorts first, second;
  {
    const auto lease = first.retake(31015);
    ASSERT_TRUE(lease) << lease.error().text();
    const auto refused = second.retake(31015);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
    EXPECT_EQ(refused.error().text(), "port 31015 is leased to another process");
  }
  EXPECT_TRUE(second.retake(31015));
}

}  // namespace ports_test
}  // namespace orch::system
