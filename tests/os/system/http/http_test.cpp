// The HTTP client for control work, against a server of one connection.
#include "os/system/http/http.hpp"

#include "os/system/files.hpp"

#include <cerrno>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::system {
namespace http_test {

// Listens on a port of the loopback; answers one request with ANSWER, if it is not empty.
class OneAnswer {
 public:
  // TRICKLE: sends a byte every few milliseconds after it, until the client leaves.
  explicit OneAnswer(std::string answer, bool trickle = false)
      : trickle_(trickle), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_.get(), 4);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/path";
    if (!answer.empty()) thread_ = std::thread([this, answer] { serve(answer); });
  }
  ~OneAnswer() {
    if (thread_.joinable()) thread_.join();
  }

  const std::string& url() const { return url_; }
  const std::string& request() {
    thread_.join();
    return request_;
  }

 private:
  void serve(const std::string& answer) {
    const Descriptor connection(::accept(listener_.get(), nullptr, nullptr));
    char block[4096];
    const ssize_t count = ::read(connection.get(), block, sizeof block);
    request_.assign(block, count > 0 ? static_cast<std::size_t>(count) : 0);
    (void)!::write(connection.get(), answer.data(), answer.size());
    while (trickle_ && ::send(connection.get(), "x", 1, MSG_NOSIGNAL) == 1) ::poll(nullptr, 0, 5);
  }

  bool trickle_;
  Descriptor listener_;
  std::string url_, request_;
  std::thread thread_;
};

TEST(Http, NamesTheLimitThatPreventsASocket) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the undefined-behaviour sanitizer opens a pipe to check the type of an object";
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto response = CurlHttp().send({.url = "http://127.0.0.1:1/x", .body = {}});
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::io);
  EXPECT_EQ(response.error().number, EMFILE);
  EXPECT_EQ(response.error().message,
            "cannot open a socket for http://127.0.0.1:1/x: Too many open files");
}

TEST(Http, AnAnswerOfAnyStatusIsAValue) {
  OneAnswer server("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy");
  const auto response = CurlHttp().send({.url = server.url(), .body = {}});
  ASSERT_TRUE(response) << response.error().text();
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body, "busy");
  EXPECT_TRUE(server.request().starts_with("GET /path HTTP/1.1\r\n"));
}

TEST(Http, ABodyIsPostedAsJson) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const auto response = CurlHttp().send({.url = server.url(), .body = R"({"a":1})"});
  ASSERT_TRUE(response) << response.error().text();
  const std::string& request = server.request();
  EXPECT_TRUE(request.starts_with("POST /path HTTP/1.1\r\n"));
  EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with(R"({"a":1})"));
}

TEST(Http, SendsItsAuthorization) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const auto response =
      CurlHttp().send({.url = server.url(), .authorization = "Bearer abc", .headers = {"X-A: b"}});
  ASSERT_TRUE(response) << response.error().text();
  const std::string& request = server.request();
  EXPECT_NE(request.find("\r\nAuthorization: Bearer abc\r\n"), std::string::npos);
  EXPECT_NE(request.find("\r\nX-A: b\r\n"), std::string::npos);
}

TEST(Http, SendsNoAuthorizationUnasked) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(CurlHttp().send({.url = server.url()}));
  EXPECT_EQ(server.request().find("Authorization"), std::string::npos);
}

TEST(Http, TriesTheGivenAddressesOfAName) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  std::string url = server.url();
  url.replace(url.find("127.0.0.1"), 9, "no-such-host.invalid");
  ASSERT_TRUE(CurlHttp().send({.url = url, .addresses = {"127.0.0.1"}}));
  EXPECT_NE(server.request().find("Host: no-such-host.invalid:"), std::string::npos);
}

TEST(Http, ABodyBeyondTheLimitIsAnError) {
  const std::string body(3 << 20, 'x');
  OneAnswer server(
      fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  const auto response = CurlHttp().send({.url = server.url()});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().text(), server.url() + " answered more than 1 MiB");
}

TEST(Http, AHeadBeyondTheLimitIsAnError) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  while (head.size() < 3 << 20) head += "X-More: " + std::string(8000, 'x') + "\r\n";
  OneAnswer server(head);
  const auto response = CurlHttp().send({.url = server.url(), .timeout_s = 60});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().text(), server.url() + " answered more than 1 MiB");
}

TEST(Http, ALineOfAHeadBeyondTheLimitIsAnError) {
  OneAnswer server("HTTP/1.1 200 OK\r\nX-More: " + std::string(1 << 20, 'x'));
  const auto response = CurlHttp().send({.url = server.url(), .timeout_s = 60});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().text(), server.url() +
                                         " did not answer: a header line is longer than 100 KB, or "
                                         "this process ran out of memory");
}

TEST(Http, InterimHeadsBeyondTheLimitAreAnError) {
  std::string heads;
  while (heads.size() < 3 << 20)
    heads += "HTTP/1.1 100 Continue\r\nX-More: " + std::string(8000, 'x') + "\r\n\r\n";
  OneAnswer server(heads);
  const auto response = CurlHttp().send({.url = server.url(), .timeout_s = 60});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().text(), server.url() + " answered more than 1 MiB");
}

TEST(Http, ChunksBeyondTheLimitAreAnError) {
  std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  while (answer.size() < 3 << 20) answer += "1000\r\n" + std::string(0x1000, 'x') + "\r\n";
  OneAnswer server(answer);
  const auto response = CurlHttp().send({.url = server.url(), .timeout_s = 60});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().text(), server.url() + " answered more than 1 MiB");
}

TEST(Http, AnAnswerOfAnotherProtocolHasNoStatus) {
  OneAnswer server("SSH-2.0-OpenSSH_9.2\r\n");
  const auto response = CurlHttp().send({.url = server.url()});
  ASSERT_TRUE(response) << response.error().text();
  EXPECT_EQ(response->status, 0);
  EXPECT_EQ(response->body, "SSH-2.0-OpenSSH_9.2\r\n");
}

TEST(Http, ARedirectionIsNotFollowed) {
  OneAnswer server(
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  const auto response = CurlHttp().send({.url = server.url()});
  ASSERT_TRUE(response) << response.error().text();
  EXPECT_EQ(response->status, 302);
}

TEST(Http, ARefusedConnectionIsUnavailable) {
  std::string url;
  { url = OneAnswer("").url(); }
  const auto response = CurlHttp().send({.url = url, .body = {}});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::unavailable);
  const std::string place = url.substr(7, url.find("/path") - 7);
  EXPECT_EQ(response.error().text(),
            "cannot connect to " + place + ": Connection refused; is the server running?");
}

TEST(Http, AServerWithoutAnAnswerIsATimeout) {
  OneAnswer server("");
  const auto response = CurlHttp().send({.url = server.url(), .body = {}, .timeout_s = 0.05});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::timeout);
}

TEST(Http, AnAnswerThatTricklesIsATimeout) {
  OneAnswer server("HTTP/1.1 200 OK\r\n\r\n", true);
  const auto response = CurlHttp().send({.url = server.url(), .timeout_s = 0.3});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::timeout);
}

TEST(Http, ARequestIsGivenUpOnStop) {
  OneAnswer server("");
  const std::atomic<bool> stop = true;
  const auto response =
      CurlHttp().send({.url = server.url(), .body = {}, .timeout_s = 60, .stop = &stop});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::interrupted);
}

}  // namespace http_test
}  // namespace orch::system
