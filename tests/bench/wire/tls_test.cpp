// TLS under both transports and control calls: which certificates are accepted, and the messages
// for the others.
#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/driver.hpp"
#include "bench/wire/grpc_truth_server.hpp"
#include "bench/wire/http_get.hpp"
#include "bench/wire/tls_relay.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace orch::wire {
namespace tls_test {

constexpr const char* k_get = "GET / HTTP/1.1\r\n\r\n";

class Tls : public testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_DFL); }  // SIGPIPE ends these tests
  // As on a system that trusts another authority.
  void SetUp() override { ::setenv("SSL_CERT_FILE", authority().certificate("alone").c_str(), 1); }
  void TearDown() override {
    for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) ::unsetenv(name);
  }

  static std::unique_ptr<truth::TlsRelay> relay(std::uint16_t port,
                                                const std::string& certificate = "good",
                                                const std::string& alpn = "") {
    return std::make_unique<truth::TlsRelay>(port, alpn, certificate);
  }
  static const truth::Authority& authority() { return truth::Authority::shared(); }
  static Access trusting() { return {.ca_file = authority().file("ca.pem")}; }

  static std::string url(const truth::TlsRelay& relay, const std::string& host = "127.0.0.1") {
    return fmt::format("https://{}:{}", host, relay.port());
  }

  // The message of opening through a relay with CERTIFICATE, without the port.
  std::string refusal(const std::string& certificate, const Access& access,
                      const std::string& host = "127.0.0.1") const {
    truth::Server server(truth::always(truth::body(200, "x")));
    const auto front = relay(server.port(), certificate);
    Driver driver(url(*front, host), "", false, access);
    const Status opened = driver.open(1);
    if (opened.ok()) return "opened";
    std::string message = opened.error().message;
    const std::string port = fmt::format(":{}", front->port());
    const std::size_t at = message.find(port);
    return at == std::string::npos ? message : message.replace(at, port.size(), "");
  }
};

TEST_F(Tls, CarriesHttpAndReusesItsConnection) {
  truth::Server server(truth::always(truth::stream({.tokens = 3, .wait_ns = 2'000'000})));
  const auto front = relay(server.port());
  Driver driver(url(*front), "", true, trusting());
  ASSERT_TRUE(driver.open(1).ok());
  driver.turn(50);  // the server's session tickets come after the handshake
  for (int i = 0; i < 3; ++i) {
    Exchange& exchange = driver.exchange(0, k_get);
    EXPECT_EQ(exchange.status, 200) << exchange.error;
    const auto events = events_of(exchange);
    ASSERT_EQ(events.size(), 3u);
    const auto truth = server.log().at(static_cast<std::size_t>(i)).token_ns;
    for (std::size_t token = 0; token < 3; ++token) EXPECT_GE(events[token].ns, truth[token]);
  }
  EXPECT_EQ(driver.transport().counters().connections_opened, 1)
      << "a session ticket does not end an idle connection";
}

TEST_F(Tls, CarriesGrpc) {
  truth::GrpcServer server(truth::always(
      truth::GrpcAnswer{.pieces = {{.bytes = truth::framed("a")},
                                   {.bytes = truth::framed("b"), .wait_ns = 2'000'000}}}));
  const auto front = relay(server.port(), "good", "h2");
  Driver driver(url(*front), "/p.S/M", true, trusting());
  ASSERT_TRUE(driver.open(2).ok());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(texts_of(driver.exchange(0, "q")), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(server.log().at(0).headers.at(":scheme"), "https");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(Tls, CarriesMoreThanOneTlsRecordBothWays) {
  const std::string large(1'000'000, 'x');
  truth::GrpcServer server(
      truth::always(truth::GrpcAnswer{.pieces = {{.bytes = truth::framed(large)}}}));
  const auto front = relay(server.port(), "good", "h2");
  Driver driver(url(*front), "/p.S/M", true, trusting());
  ASSERT_TRUE(driver.open(1).ok());
  Exchange& exchange = driver.exchange(0, large);
  EXPECT_EQ(exchange.status, 200) << exchange.error;
  EXPECT_TRUE(texts_of(exchange) == std::vector<std::string>{large});
  EXPECT_TRUE(server.log().at(0).message() == large);
}

TEST_F(Tls, CarriesControlCalls) {
  truth::Server pages(truth::always(truth::body(200, "a page")));
  const auto front = relay(pages.port());
  EXPECT_EQ(http_get(*parse_url(url(*front)), 5'000, trusting()).value_or("none"), "a page");
  truth::GrpcServer calls(
      truth::always(truth::GrpcAnswer{.pieces = {{.bytes = truth::framed("an answer")}}}));
  const auto other = relay(calls.port(), "good", "h2");
  EXPECT_EQ(grpc_call(*parse_url(url(*other)), "/p.S/M", "", 5'000, trusting()).value_or("none"),
            "an answer");
}

TEST_F(Tls, ReportsAClosedConnectionAsALostServer) {
  truth::Server server(
      truth::always(truth::stream({.whole = false, .after = truth::After::close})));
  const auto front = relay(server.port());
  Driver driver(url(*front), "", true, trusting());
  ASSERT_TRUE(driver.open(1).ok());
  Exchange& exchange = driver.exchange(0, k_get);
  EXPECT_TRUE(exchange.broken && exchange.lost_server);
  EXPECT_EQ(exchange.error,
            "the answer's body was cut short: the server closed the connection before its end");
}

TEST_F(Tls, ReportsALostServerWhileSending) {
  truth::Server server(truth::always(truth::stream()));
  auto front = relay(server.port());
  Driver driver(url(*front), "", true, trusting());
  ASSERT_TRUE(driver.open(1).ok());
  front.reset();
  const std::string large =
      "POST / HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n" + std::string(5'000'000, 'x');
  Exchange& exchange = driver.exchange(0, large);
  EXPECT_TRUE(exchange.broken && exchange.lost_server) << "SIGPIPE did not end the process";
}

TEST_F(Tls, AcceptsCertificatesForTheNameAndTheAddressOfTheHost) {
  EXPECT_EQ(refusal("good", trusting()), "opened");
  EXPECT_EQ(refusal("good", trusting(), "localhost"), "opened");
}

TEST_F(Tls, ExplainsWhyACertificateIsRefused) {
  EXPECT_EQ(refusal("expired", trusting()),
            "cannot speak TLS with 127.0.0.1: its certificate has expired");
  EXPECT_EQ(refusal("elsewhere", trusting()),
            "cannot speak TLS with 127.0.0.1: its certificate is not for '127.0.0.1'; use the name "
            "that it was issued for");
  EXPECT_EQ(refusal("elsewhere", trusting(), "localhost"),
            "cannot speak TLS with localhost: its certificate is not for 'localhost'; use the name "
            "that it was issued for");
  const std::string untrusted =
      "cannot speak TLS with 127.0.0.1: no authority trusted here issued its certificate; "
      "name the issuer's certificate with --ca-file";
  EXPECT_EQ(refusal("alone", trusting()), untrusted);
  EXPECT_EQ(refusal("good", {}), untrusted);
}

TEST_F(Tls, ControlPagesExplainWhyACertificateIsRefused) {
  truth::Server server(truth::always(truth::body(200, "a page")));
  const auto why = [&](const std::string& certificate, const Access& access,
                       const std::string& host = "127.0.0.1") {
    const auto front = relay(server.port(), certificate);
    const auto page = http_page(*parse_url(url(*front, host)), 5'000, access);
    return page.ok() ? page->body : page.error().message.substr(url(*front, host).size());
  };
  EXPECT_EQ(why("good", trusting(), "localhost"), "a page");
  EXPECT_EQ(why("expired", trusting()), " did not answer: its certificate has expired");
  EXPECT_EQ(why("elsewhere", trusting()),
            " did not answer: its certificate is not for '127.0.0.1'; use the name that it was "
            "issued for");
  EXPECT_EQ(why("good", {}),
            " did not answer: no authority trusted here issued its certificate; name the issuer's "
            "certificate with --ca-file");
  EXPECT_EQ(why("good", {.ca_file = "/no/such.pem"}),
            " did not answer: the file '/no/such.pem' has no certificates that can be read; give "
            "one in PEM format");
  EXPECT_EQ(why("expired", {.verify = false}), "a page");
}

TEST_F(Tls, ControlPagesSuggestHttpWhenAServerDoesNotSpeakTls) {
  truth::Server silent(truth::always(truth::stream()));  // waits for the end of a head
  const std::string url = fmt::format("https://127.0.0.1:{}/x", silent.port());
  EXPECT_EQ(http_page(*parse_url(url), 1'000).error().message,
            url + " did not answer: it sends nothing; is it http?");
  truth::GrpcServer other(truth::always(truth::GrpcAnswer{}));
  const std::string grpc_url = fmt::format("https://127.0.0.1:{}/x", other.port());
  EXPECT_EQ(http_page(*parse_url(grpc_url), 5'000).error().message,
            grpc_url +
                " did not answer: it does not speak TLS; if it serves plain HTTP, drop the 's' "
                "from the URL's scheme");
}

TEST_F(Tls, TrustsTheCertificatesOfTheSystem) {
  truth::Server server(truth::always(truth::body(200, "a page")));
  const auto front = relay(server.port());
  ::setenv("SSL_CERT_FILE", authority().file("ca.pem").c_str(), 1);
  EXPECT_EQ(refusal("good", {}), "opened");
  EXPECT_TRUE(http_page(*parse_url(url(*front)), 5'000).ok());
  ::setenv("SSL_CERT_FILE", "/n/cert.pem", 1);
  ::setenv("SSL_CERT_DIR", "/n/certs", 1);
  const std::string none =
      "no certificates of authorities are in /n/cert.pem, /n/certs; name a file of them with "
      "SSL_CERT_FILE or --ca-file";
  EXPECT_EQ(refusal("good", {}), none);
  EXPECT_EQ(refusal("good", {.verify = false}), "opened");
  const auto page = http_page(*parse_url(url(*front)), 5'000);
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().message, url(*front) + " did not answer: " + none);
  EXPECT_TRUE(http_page(*parse_url(url(*front)), 5'000, {.verify = false}).ok());
}

TEST_F(Tls, DoesNotVerifyWhenVerificationIsOff) {
  for (const char* certificate : {"expired", "elsewhere", "alone"})
    EXPECT_EQ(refusal(certificate, {.verify = false}), "opened");
}

TEST_F(Tls, NamesAFileWithoutCertificates) {
  EXPECT_EQ(refusal("good", {.ca_file = "/no/such.pem"}),
            "--ca-file '/no/such.pem' has no certificates that can be read: No such file or "
            "directory; give a file in PEM format");
  EXPECT_TRUE(refusal("good", {.ca_file = authority().key()})
                  .starts_with("--ca-file '" + authority().key() +
                               "' has no certificates that can be read: "));
}

TEST_F(Tls, ReportsAServerWithoutTls) {
  truth::GrpcServer plain(truth::always(truth::GrpcAnswer{}));
  Driver driver(fmt::format("https://127.0.0.1:{}", plain.port()), "", false, trusting());
  const Status opened = driver.open(1);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            fmt::format("cannot speak TLS with 127.0.0.1:{}: it does not speak TLS; if it serves "
                        "plain HTTP, drop the 's' from the URL's scheme",
                        plain.port()));
}

TEST_F(Tls, SuggestsHttpWhenAServerWaitsForMoreOfTheHandshake) {
  truth::Server plain(truth::always(truth::stream()));
  Driver driver(fmt::format("https://127.0.0.1:{}", plain.port()), "", false, trusting());
  const Status opened = driver.transport().open(1, 50);  // it waits for the end of a head
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            fmt::format("cannot speak TLS with 127.0.0.1:{}: it sends nothing; is it http?",
                        plain.port()));
}

TEST_F(Tls, SuggestsHttpsWhenATlsServerReceivedPlainText) {
  truth::Server server(truth::always(truth::body(200, "{}")));
  const auto front = relay(server.port());
  const auto page =
      http_get(*parse_url(fmt::format("http://127.0.0.1:{}/x", front->port())), 5'000);
  ASSERT_FALSE(page.ok());
  EXPECT_TRUE(page.error().message.ends_with("is it https?")) << page.error().message;
  Driver driver(fmt::format("http://127.0.0.1:{}", front->port()), "", false);
  ASSERT_TRUE(driver.open(1).ok());
  const std::string error =
      driver.exchange(0, "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nq").error;
  EXPECT_TRUE(error.ends_with("is it https?")) << error;
}

TEST_F(Tls, ReportsAServerWithoutHttp2) {
  truth::GrpcServer server(truth::always(truth::GrpcAnswer{}));
  const auto front = relay(server.port());
  Driver driver(url(*front), "/p.S/M", true, trusting());
  const Status opened = driver.open(1);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(
      opened.error().message,
      fmt::format(
          "cannot speak TLS with 127.0.0.1:{}: it does not offer HTTP/2; is this the gRPC port?",
          front->port()));
}

}  // namespace tls_test
}  // namespace orch::wire
