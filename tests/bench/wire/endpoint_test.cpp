// URLs: their parts, and which are rejected.
#include "bench/wire/endpoint.hpp"

#include "bench/wire/channel.hpp"
#include "bench/wire/exchange.hpp"

#include <cerrno>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace orch::wire {
namespace endpoint_test {

TEST(Url, ReadsHostPortAndPath) {
  const auto url = parse_url("http://[::1]:8000/prefix");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 8000);
  EXPECT_EQ(url->path, "/prefix");
  EXPECT_EQ(url->authority(), "[::1]:8000");
  EXPECT_EQ(parse_url("localhost")->port, 80);
}

TEST(Url, KeepsItsQueryBehindThePath) {
  const auto url = parse_url("http://h:1/v1?api-version=2&x=%20");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->path, "/v1");
  EXPECT_EQ(url->query, "?api-version=2&x=%20");
  EXPECT_EQ(url->text(), "http://h:1/v1?api-version=2&x=%20");
  const auto bare = parse_url("http://h?a=1");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->host, "h");
  EXPECT_EQ(bare->target(), "?a=1");
  EXPECT_FALSE(parse_url("http://h/v1#part").ok());
}

TEST(Url, SelectsTlsByScheme) {
  EXPECT_FALSE(parse_url("grpc://x:1")->tls);
  EXPECT_TRUE(parse_url("grpcs://x:1")->tls);
  EXPECT_TRUE(parse_url("https://x")->tls);
  EXPECT_EQ(parse_url("https://x/y")->text(), "https://x:443/y");
}

TEST(Url, RejectsOtherSchemes) {
  EXPECT_EQ(parse_url("ftp://x:1").error().message,
            "the URL 'ftp://x:1' has a scheme other than http, https, grpc and grpcs; write "
            "http://HOST:PORT or https://HOST:PORT");
  EXPECT_EQ(parse_url("http://x:70000").error().message,
            "the URL 'http://x:70000' has no port number between 1 and 65535 after its colon; "
            "write http://HOST:PORT or https://HOST:PORT");
  EXPECT_EQ(parse_url("http://[::1]x:80").error().message,
            "the URL 'http://[::1]x:80' has text other than a port after ']'; write "
            "http://HOST:PORT or https://HOST:PORT");
  EXPECT_EQ(parse_url("http://").error().message,
            "the URL 'http://' has no host; write http://HOST:PORT or https://HOST:PORT");
}

TEST(Url, RejectsAUserNameWithoutRepeatingThePassword) {
  for (const char* url : {"http://me:hunter2@x:1", "me:hunter2@x:1/y", "https://me:hunter2@x"}) {
    const auto refused = parse_url(url);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(
        refused.error().message.find("has a user name, which is not supported: use --token-file"),
        std::string::npos)
        << refused.error().message;
    EXPECT_EQ(refused.error().message.find("hunter2"), std::string::npos)
        << refused.error().message;
  }
  EXPECT_EQ(parse_url("ftp://me:hunter2@x").error().message.find("hunter2"), std::string::npos);
  EXPECT_EQ(parse_url("http://me:hun/ter2@x").error().message.find("hun"), std::string::npos);
}

TEST(Url, RejectsCharactersThatWouldEndTheRequestLine) {
  EXPECT_EQ(parse_url("http://x:1/a b").error().message,
            "the URL 'http://x:1/a b' has a space or a control character, which must be written as "
            "%XX; write http://HOST:PORT or https://HOST:PORT");
  EXPECT_FALSE(parse_url("http://x:1/a\r\nEvil: 1").ok());
  EXPECT_EQ(path_segment("a b/c?d#e\r\n%.f-1_~"), "a%20b%2Fc%3Fd%23e%0D%0A%25.f-1_~");
}

TEST(ConnectError, NamesTheServerAndTheRemedy) {
  Endpoint endpoint;
  endpoint.name = "x:1";
  const Error refused = connect_error(endpoint, ECONNREFUSED);
  EXPECT_EQ(refused.kind, ErrorKind::unavailable);
  EXPECT_EQ(refused.message, "cannot connect to x:1: Connection refused; is the server running?");
  const Error no_port = connect_error(endpoint, EADDRNOTAVAIL);
  EXPECT_EQ(no_port.kind, ErrorKind::io);
  EXPECT_EQ(no_port.message,
            "cannot connect to x:1: Cannot assign requested address; no local port is left: let "
            "the server keep connections alive, or widen net.ipv4.ip_local_port_range");
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM})
    EXPECT_EQ(connect_error(endpoint, error).kind, ErrorKind::io) << error;
  for (const int error : {ETIMEDOUT, EHOSTUNREACH, ECONNRESET})
    EXPECT_EQ(connect_error(endpoint, error).kind, ErrorKind::unavailable) << error;
}

TEST(ConnectError, NamesTheResolvedAddress) {
  EXPECT_EQ(connect_error(*resolve(*parse_url("http://localhost:1")), ETIMEDOUT).message,
            "cannot connect to localhost:1 (127.0.0.1): Connection timed out");
  EXPECT_EQ(connect_error(*resolve(*parse_url("http://127.0.0.1:1")), ETIMEDOUT).message,
            "cannot connect to 127.0.0.1:1: Connection timed out");
  EXPECT_EQ(connect_error(*resolve(*parse_url("http://[::1]:1")), ETIMEDOUT).message,
            "cannot connect to [::1]:1: Connection timed out");
}

TEST(FirstListening, IsTheFirstThatAcceptsOrElseTheFirst) {
  const system::Descriptor listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      bound(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::vector<Endpoint> endpoints;
  // A bound port without a listener refuses connections.
  for (const system::Descriptor* one : {&bound, &listening}) {
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(one->get(), reinterpret_cast<sockaddr*>(&address), length), 0);
    ASSERT_EQ(::getsockname(one->get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    endpoints.push_back(
        *resolve(*parse_url(fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port)))));
  }
  EXPECT_EQ(first_listening(endpoints, 10'000).name, endpoints[0].name);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  EXPECT_EQ(first_listening(endpoints, 10'000).name, endpoints[1].name);
  Channel channel;
  EXPECT_TRUE(channel.open(endpoints, nullptr, monotonic_ns() + 10'000'000'000).ok());
  EXPECT_EQ(channel.endpoint().name, endpoints[1].name);
  const Status refused =
      channel.open({endpoints.data(), 1}, nullptr, monotonic_ns() + 10'000'000'000);
  EXPECT_EQ(refused.error().message, connect_error(endpoints[0], ECONNREFUSED).message);
}

TEST(Url, HasTheSameOriginBySchemeHostAndPort) {
  const auto same = [](const char* a, const char* b) {
    return same_origin(*parse_url(a), *parse_url(b));
  };
  EXPECT_TRUE(same("http://X:8000/a", "http://x:8000/b"));
  EXPECT_TRUE(same("https://x", "https://x:443"));
  EXPECT_FALSE(same("https://x:8000", "http://x:8000"));
  EXPECT_FALSE(same("http://x:8000", "http://x:8002"));
  EXPECT_FALSE(same("http://x:8000", "http://y:8000"));
}

}  // namespace endpoint_test
}  // namespace orch::wire
