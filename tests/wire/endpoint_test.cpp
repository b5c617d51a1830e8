// URLs: what is read of them, and what is refused.
#include <gtest/gtest.h>

#include "wire/endpoint.hpp"

namespace orch::wire {
namespace {

TEST(Url, ReadsHostPortAndPath) {
  const auto url = parse_url("http://[::1]:8000/prefix");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 8000);
  EXPECT_EQ(url->path, "/prefix");
  EXPECT_EQ(url->authority(), "[::1]:8000");
  EXPECT_EQ(parse_url("localhost")->port, 80);
}

TEST(Url, TellsBySchemeWhetherTlsIsAskedFor) {
  EXPECT_FALSE(parse_url("grpc://x:1")->tls);
  EXPECT_TRUE(parse_url("grpcs://x:1")->tls);
  EXPECT_TRUE(parse_url("https://x")->tls);
  EXPECT_EQ(parse_url("https://x/y")->text(), "https://x:443/y");
}

TEST(Url, RefusesWhatItDoesNotSpeak) {
  EXPECT_EQ(parse_url("ftp://x:1").error().message,
            "the URL 'ftp://x:1' has a scheme other than http, https, grpc and grpcs; write http://HOST:PORT or https://HOST:PORT");
  EXPECT_EQ(parse_url("http://x:70000").error().message,
            "the URL 'http://x:70000' has no port number between 1 and 65535 after its colon; write http://HOST:PORT or https://HOST:PORT");
  EXPECT_EQ(parse_url("http://").error().message, "the URL 'http://' has no host; write http://HOST:PORT or https://HOST:PORT");
}

}  // namespace
}  // namespace orch::wire
