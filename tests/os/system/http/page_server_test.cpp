#include "os/system/http/page_server.hpp"

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::system {
namespace page_server_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Served : public testing::Test {
 protected:
  void SetUp() override {
    auto server = PageServer::listen("0123456789abcdef");
    ASSERT_TRUE(server.ok()) << server.error().text();
    address_ = server->address();
    thread_ = std::thread([this, moved = std::move(*server)]() mutable {
      const Status served = moved.serve(
          [this] {
            ++asked_;
            return PageServer::Page{"<p>page</p>" + std::string(extra_, 'x'), "v1",
                                    "default-src 'none'"};
          },
          [this] { return stop_.load(); });
      EXPECT_TRUE(served.ok());
    });
  }
  void TearDown() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::string host() const { return address_.substr(7, address_.rfind('/') - 7); }
  std::string path() const { return address_.substr(address_.rfind('/')); }
  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(host().substr(host().find(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return fd;
  }
  std::string exchange(const std::string& text) const {
    const int fd = connect();
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    std::string out;
    char buffer[65536];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(got));
    ::close(fd);
    return out;
  }
  std::string get(const std::string& path, const std::string& host,
                  const std::string& method = "GET") const {
    return exchange(method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  std::string address_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> asked_ = 0;
  std::atomic<std::size_t> extra_ = 0;
  std::thread thread_;
};

TEST_F(Served, ThePageHasItsPolicyAndIsNotKept) {
  EXPECT_THAT(address_, StartsWith("http://127.0.0.1:"));
  const std::string answer = get(path(), host());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n",
        "Cache-Control: no-store\r\n", "Referrer-Policy: no-referrer\r\n", "ETag: \"v1\"\r\n",
        "Content-Length: 11\r\n"})
    EXPECT_THAT(answer, HasSubstr(header));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n<p>page</p>"));
}

TEST_F(Served, HeadHasTheVersionWithoutThePage) {
  const std::string answer = get(path(), host(), "HEAD");
  EXPECT_THAT(answer, HasSubstr("ETag: \"v1\"\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("<p>")));
}

TEST_F(Served, WithoutTheTokenThereIsNothing) {
  for (const std::string& other :
       {std::string("/"), std::string("/0123456789abcdee"), path() + "/", path() + "0",
        path().substr(0, 8), "/x" + path(), std::string("/favicon.ico")})
    EXPECT_THAT(get(other, host()), StartsWith("HTTP/1.1 404")) << other;
  EXPECT_EQ(asked_, 0) << "the page was made for a stranger";
}

TEST_F(Served, AnotherNameOfThisHostGetsNothing) {
  const std::string port = host().substr(host().find(':'));
  for (const std::string& name :
       {"evil.example" + port, "localhost" + port, std::string("127.0.0.1"), std::string("")})
    EXPECT_THAT(get(path(), name), StartsWith("HTTP/1.1 404")) << name;
  EXPECT_THAT(exchange("GET " + path() + " HTTP/1.1\r\nHost: " + host() + "\r\nHost: " + host() +
                       "\r\n\r\n"),
              StartsWith("HTTP/1.1 404"))
      << "two hosts";
  EXPECT_EQ(asked_, 0);
}

TEST_F(Served, OtherMethodsAndTextsThatAreNoRequestAreRefused) {
  EXPECT_THAT(get(path(), host(), "POST"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(exchange("\x16\x03\x01\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(exchange("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x')),
              StartsWith("HTTP/1.1 431"));
}

TEST_F(Served, AConnectionThatSendsNothingKeepsNoOtherOneWaiting) {
  const int silent = connect();
  EXPECT_THAT(get(path(), host()), StartsWith("HTTP/1.1 200"));
  ::close(silent);
}

TEST_F(Served, ALargePageArrivesWhole) {
  extra_ = 5'000'000;
  const std::string answer = get(path(), host());
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 5'000'011u);
}

TEST(PageServer, EqualityLooksAtEveryCharacter) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("ab", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abcd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
}

TEST(PageServer, TokensDiffer) {
  const auto a = random_token(), b = random_token();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->size(), 32u);
  EXPECT_NE(*a, *b);
}

}  // namespace page_server_test
}  // namespace orch::system
